// Has n8n's own JobProcessor run a job whose execution goes as the steps say, with n8n's own hooks and its own storing, and
// writes what came of each step. Reads {redis, steps}:
//   {node}        n8n is about to run a node
//   {end, fails}  the execution has ended with that status, and the database refuses so often with these codes; with {run}
//                 it has this to store
//   {stand}       so many milliseconds pass while the process stands still
//   {row}         the status that the database has of it
//   {take, agoMs} recovery takes it, or took it so long ago
//   {noRedis}     the connection to Redis is gone
//   {look}        what Redis has; 'whole': the result of the execution too
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const timers = require('node:timers/promises');

const manifest = process.argv[2];
const load = createRequire(manifest);
load('reflect-metadata');
const dist = (path) => load(join(dirname(manifest), 'dist', path));
const { JobProcessor } = dist('scaling/job-processor.js');
const { ExecutionPersistence } = dist('executions/execution-persistence.js');
const { ExecutionLifecycleHooks } = load('n8n-core');
const { Redis } = load('ioredis');
const { redis, steps } = JSON.parse(readFileSync(0, 'utf8'));

const ID = '1';
const client = new Redis(redis);
const asking = new Redis(redis);
const key = (name) => `n8n-tuned:{bull}:${name}`;

let stoodMs = 0;
const { now } = Date;
Date.now = () => now() + stoodMs;
timers.setTimeout = async (ms) => void (stoodMs += ms);

let row = 'running';
let fails = [];
let stored = [];
async function store({ status }) {
  const code = fails.shift();
  if (code) throw Object.assign(new Error(`refused with ${code}`), { code });
  stored.push(status);
  return true;
}
const persistence = Object.assign(Object.create(ExecutionPersistence.prototype), {
  executionRepository: { findOne: async () => ({ id: ID, workflowId: 'w', storedAt: 'db' }) },
  buildEntityWhereCondition: () => ({}),
  updateEntityOnly: async (_, changes) => store(changes),
  applyDataUpdate: async (...[, , , changes]) => store(changes),
  findSingleExecution: async () => {
    const out = [];
    for (const step of steps) out.push((await take(step).catch(({ message }) => message)) ?? null);
    console.log(JSON.stringify(out));
    process.exit();
  },
});
const hooks = new ExecutionLifecycleHooks('webhook', ID, { id: 'w', name: 'W' });
let nodes = 0;
hooks.addHandler('nodeExecuteBefore', () => void (nodes += 1));
hooks.addHandler('workflowExecuteAfter', (run) =>
  persistence.updateExistingExecution(ID, run, { requireNotCanceled: true }),
);

async function take(step) {
  if (step.node) {
    const before = nodes;
    await hooks.runHook('nodeExecuteBefore', [step.node, {}]);
    return nodes > before ? 'runs' : 'does not run';
  }
  if (step.end) {
    fails = step.fails ?? [];
    stored = [];
    await hooks.runHook('workflowExecuteAfter', [{ status: step.end, ...step.run }]);
    return stored.length > 0 ? 'stored' : 'not stored';
  }
  if (step.stand) return void (stoodMs += step.stand);
  if (step.row) return void (row = step.row);
  if (step.take) return void (await asking.zadd(key('taken'), now() - (step.agoMs ?? 0), ID));
  if (step.noRedis) return void client.disconnect();
  const [alive, done] = await Promise.all(
    ['alive', 'done'].map((name) => asking.zrange(key(name), 0, -1)),
  );
  if (step.look !== 'whole') return { alive, done };
  const [result, leftMs] = await Promise.all([
    ...[asking.get(key(`result:${ID}`)), asking.pttl(key(`result:${ID}`))],
  ]);
  return { done, result: JSON.parse(result), isKept: leftMs > 0 };
}

const processor = Object.assign(Object.create(JobProcessor.prototype), {
  executionPersistence: persistence,
  executionRepository: { findSingleExecution: async () => ({ status: row }) },
});
client.once('ready', () => {
  const queue = { keyPrefix: 'bull', client };
  processor.processJob({ id: '7', queue, data: { executionId: ID } });
});
