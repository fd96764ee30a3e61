// How exactly Load Target makes what it is asked for, and what it costs by itself. For an idle
// machine; writes docs/records/node-accuracy.json and ends with 1 when a bound is not met.
//   node test/nodes/accuracy.bench.mjs      (make lab first; npm run build:nodes)
import { fork } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cache } from '../../lab/cache.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const versions = Object.fromEntries(
  readFileSync(join(root, 'lab/versions.env'), 'utf8')
    .split('\n')
    .flatMap((line) => (/^[A-Z0-9_]+=/.test(line) ? [line.split('=')] : [])),
);
const REPEATS = 5;
const MIB = 1024 * 1024;
const idleAtStart = loadavg()[0];

const host = fork(join(root, 'test/nodes/support/engine-host.mjs'), {
  execPath: join(cache, 'bin/node24'),
  execArgv: ['--expose-gc', '--max-old-space-size=4096'],
  env: {
    ...process.env,
    N8N_INSTALLATION: join(cache, 'n8n', versions.N8N_VERSION, 'node_modules/n8n'),
  },
  serialization: 'advanced',
});
await new Promise((resolve) => host.once('message', resolve));

let lastId = 0;
const ask = (command, what = {}) =>
  new Promise((resolve, reject) => {
    lastId += 1;
    const id = lastId;
    const listen = (reply) => {
      if (reply.id !== id) return;
      host.off('message', listen);
      if (reply.ok) resolve(reply.value);
      else reject(new Error(reply.message));
    };
    host.on('message', listen);
    host.send({ id, command, ...what });
  });
const run = (parameters, more = {}) => ask('run', { node: 'loadTarget', parameters, ...more });
const report = async (parameters) => (await run(parameters)).items[0].json;
const memory = async () => {
  await ask('collectGarbage');
  return ask('memory');
};

const figures = [];
/** `errors` in the unit's own terms; the worst of the repeats counts. */
const record = (what, asked, measured, unit, allowed) => {
  const worst = measured.reduce((a, b) => (Math.abs(b - asked) > Math.abs(a - asked) ? b : a));
  const holds = Math.abs(worst - asked) <= allowed;
  figures.push({ what, unit, asked, measured, worst, allowed, holds });
  console.log(
    `${holds ? 'ok  ' : 'FAIL'} ${what}: asked ${asked} ${unit}, worst ${worst}, allowed +-${allowed}`,
  );
};
const rounded = (value) => Math.round(value * 1000) / 1000;
const repeat = async (measure) => {
  const values = [];
  for (let i = 0; i < REPEATS; i += 1) values.push(rounded(await measure()));
  return values;
};

// What the process itself says, before and after, with the garbage gone.
for (const [heldAs, where] of [
  ['strings', 'heapUsed'],
  ['objects', 'heapUsed'],
  ['buffers', 'arrayBuffers'],
]) {
  for (const sizeMiB of [50, 200]) {
    const measured = await repeat(async () => {
      const before = await memory();
      await report({ operation: 'memory', heldAs, sizeMiB, holdMs: 0, afterwards: 'leak' });
      const after = await memory();
      return (after[where] - before[where]) / MIB;
    });
    record(`memory as ${heldAs}`, sizeMiB, measured, 'MiB', Math.max(sizeMiB * 0.02, 2));
  }
}
// What the operating system says the thread used, from outside the operation. The engine's own part
// and that of the messages is known from executions that use none.
const executionCostMs = async () => {
  const before = await ask('cpuTimeMs');
  await report({ operation: 'cpu', cpuTimeMs: 0 });
  return (await ask('cpuTimeMs')) - before;
};
// So often that the engine's code is compiled, as in an n8n that has been up for a while.
for (let i = 0; i < 50; i += 1) await executionCostMs();
for (const cpuTimeMs of [20, 100, 1000]) {
  for (const eventLoop of ['block', 'yield']) {
    const measured = await repeat(async () => {
      const costMs = await executionCostMs();
      const before = await ask('cpuTimeMs');
      await report({ operation: 'cpu', cpuTimeMs, eventLoop });
      return (await ask('cpuTimeMs')) - before - costMs;
    });
    record(`CPU time, ${eventLoop}`, cpuTimeMs, measured, 'ms', Math.max(cpuTimeMs * 0.03, 5));
  }
}
for (const waitMs of [5, 100, 1000]) {
  const measured = await repeat(
    async () => (await report({ operation: 'wait', waitMs })).achieved.waitedMs,
  );
  record('wait', waitMs, measured, 'ms', 20);
}
// The CPU time of a hundred items that do nothing, against the same execution with one.
const items = Array.from({ length: 100 }, () => ({ json: {} }));
const nothing = { operation: 'fail', probability: 0 };
const costOf = async (more) => {
  const before = await ask('cpuTimeMs');
  await run(nothing, more);
  return (await ask('cpuTimeMs')) - before;
};
for (let i = 0; i < 20; i += 1) await costOf({ items });
const cost = await repeat(async () => ((await costOf({ items })) - (await costOf({}))) / 99);
record('own cost an item', 0, cost, 'ms', 1);

host.disconnect();
const output = {
  recordedAt: new Date().toISOString(),
  machine: { cpu: cpus()[0].model, cores: cpus().length, loadAverageAtStart: idleAtStart },
  versions: { n8n: versions.N8N_VERSION, node: versions.NODE24_VERSION },
  repeats: REPEATS,
  figures,
};
mkdirSync(join(root, 'docs/records'), { recursive: true });
writeFileSync(
  join(root, 'docs/records/node-accuracy.json'),
  `${JSON.stringify(output, null, 2)}\n`,
);
process.exitCode = figures.every(({ holds }) => holds) ? 0 : 1;
