// Asks PostgreSQL through n8n's TypeORM, one query after the other and then from many callers at once.
// PGPASSWORD=... node [--require patch] queries.cjs <n8n's package.json> <port> <seconds>
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { performance } = require('node:perf_hooks');

const [, , manifest, port, seconds] = process.argv;
const typeorm = join(dirname(dirname(manifest)), '@n8n/typeorm/package.json');
const { DataSource } = createRequire(typeorm)('@n8n/typeorm');
/** Connections that the chart gives a worker by default. */
const POOL = 4;
const CALLERS = 16;

async function main() {
  const source = new DataSource({
    ...{ type: 'postgres', host: '127.0.0.1', port: Number(port), username: 'n8n' },
    password: process.env.PGPASSWORD,
    ...{ database: 'n8n', schema: 'public', poolSize: POOL, statementTimeout: 300_000 },
  });
  await source.initialize();
  const ask = () => source.query('SELECT 1');
  for (let n = 0; n < 50; n += 1) await ask();

  const times = [];
  const end = performance.now() + (1000 * seconds) / 2;
  while (performance.now() < end) {
    const begun = performance.now();
    await ask();
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);

  let answered = 0;
  const begun = performance.now();
  const stop = begun + (1000 * seconds) / 2;
  const caller = async () => {
    while (performance.now() < stop) {
      await ask();
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const perSecond = (1000 * answered) / (performance.now() - begun);
  process.stdout.write(JSON.stringify({ queryMs: times[Math.floor(times.length / 2)], perSecond }));
  await source.destroy();
}

void main();
