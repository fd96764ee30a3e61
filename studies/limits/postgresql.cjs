// The limit of n8n's database: for each request the statements of one execution, in their order, on one connection of
// a pool. They are taken from a real n8n, which is started first and then left idle: its PostgreSQL is the one that works.
const { spawn } = require('node:child_process');
const { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const pg = require('pg');
const { cache, serve } = require('./answer.cjs');

const CONNECTIONS = 8;
/** After its response n8n still writes about the execution. */
const WINDOW_MS = 1500;
const COMMAND = join(__dirname, '../../cli/dist/cli.js');

const folder = mkdtempSync(join(tmpdir(), 'statements-'));
const captured = join(folder, 'statements.jsonl');
writeFileSync(captured, '');
// n8n runs as a user of its own.
chmodSync(folder, 0o711);
chmodSync(captured, 0o666);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

async function main() {
  const { baseUrl, postgresql } = await startN8n();
  const pool = new pg.Pool({ connectionString: postgresql.url, max: CONNECTIONS });
  const statements = await ofOneExecution(baseUrl, pool);
  console.error(`${statements.length} statements:\n${statements.map((s) => s.text).join('\n')}`);
  serve((item) => replay(item, pool, statements));
}

/** In the foreground, where `n8n-tuned up` would leave it: it ends with this process. */
async function startN8n() {
  const name = `limits-${process.pid}`;
  const words = [
    ...['up', '--name', name, '--workload', 'last-node', '--database', 'postgresql'],
    ...['--env', `NODE_OPTIONS=--require=${join(__dirname, 'capture.cjs')}`],
    ...['--env', `CAPTURED_STATEMENTS=${captured}`],
  ];
  const child = spawn(process.execPath, [COMMAND], {
    stdio: 'inherit',
    env: { ...process.env, N8N_TUNED_KEEPER: JSON.stringify(words) },
  });
  child.once('exit', (code) => process.exit(code ?? 1));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const file = join(cache, 'up', `${name}.json`);
  for (;;) {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      await sleep(200);
    }
  }
}

/** The statements of the last of a few executions, when caches are warm; the id of the execution is left to be filled in. */
async function ofOneExecution(baseUrl, pool) {
  let began = 0;
  for (let n = 0; n < 5; n += 1) {
    began = Date.now();
    const response = await fetch(`${baseUrl}/webhook/load-last-node`);
    if (!response.ok) throw new Error(`n8n responded ${response.status}`);
    await sleep(WINDOW_MS);
  }
  const { rows } = await pool.query('SELECT max(id) AS id FROM execution_entity');
  const [{ id }] = rows;
  return readFileSync(captured, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ atMs, text }) => atMs >= began && atMs < began + WINDOW_MS && text !== 'SELECT 1')
    .map(({ text, values }) => ({
      text,
      isId: values.map((value) => String(value) === String(id)),
      values,
    }));
}

async function replay(item, pool, statements) {
  const client = await pool.connect();
  let id = null;
  let failed;
  try {
    for (const { text, isId, values } of statements) {
      const { rows } = await client.query(
        text,
        values.map((value, at) => (isId[at] ? id : value)),
      );
      if (/^INSERT INTO ("public"\.)?"execution_entity"/.test(text)) id = rows[0].id;
    }
  } catch (error) {
    failed = error;
    throw error;
  } finally {
    // One that failed is left in its transaction: the pool gives it up.
    client.release(failed);
  }
  return item;
}

void main();
