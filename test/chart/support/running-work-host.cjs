// Has n8n's own JobProcessor run a job whose execution goes as the steps say, with n8n's own hooks and its own storing, and
// writes what came of each step. Reads {redis, steps}:
//   {node}        n8n is about to run a node
//   {end, fails}  the execution has ended with that status, and the database refuses so often with these codes; with {run}
//                 it has this to store; with {between} these steps happen as the database refuses for the first time
//   {stand}       so many milliseconds pass while the process stands still
//   {row}         the status that the database has of it
//   {take, agoMs} recovery takes it, or took it so long ago
//   {noRedis}     the connection to Redis is gone
//   {rowFails}    the database refuses so often with these codes when it is asked for the status
//   {state}       what its metrics say of keep-stalled
//   {told}        waits until Redis knows that it is alive, for at most 5 s, and says whether it does
//   {reborn}      Redis has lost its data, and is connected again
//   {look}        what Redis has; 'whole': the result of the execution too; 'when': when it was marked as done
// With {aheadMs} the clock of the process is so far ahead when the execution begins.
// With {redis, many, awayMs} so many executions end at once while the database is away for so long; what it was asked is written.
// With {hangs} its first answer after that never comes.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { setImmediate } = require('node:timers');
const timers = require('node:timers/promises');

const { states } = require('../../../charts/n8n-tuned/files/preload/in-force.cjs');

const manifest = process.argv[2];
const load = createRequire(manifest);
load('reflect-metadata');
const dist = (path) => load(join(dirname(manifest), 'dist', path));
const { JobProcessor } = dist('scaling/job-processor.js');
const { ExecutionPersistence } = dist('executions/execution-persistence.js');
const { ExecutionLifecycleHooks } = load('n8n-core');
const { Redis } = load('ioredis');
const { redis, steps, many, awayMs, hangs, aheadMs = 0 } = JSON.parse(readFileSync(0, 'utf8'));

const ID = '1';
const client = new Redis(redis);
const asking = new Redis(redis);
const key = (name) => `n8n-tuned:{bull}:${name}`;

let stoodMs = aheadMs;
const { now } = Date;
Date.now = () => now() + stoodMs;
const sleep = timers.setTimeout;
timers.setTimeout = async (ms) => void (stoodMs += ms);

let row = 'running';
let rowFails = [];
let fails = [];
let between = [];
let stored = [];
const refusal = (code) => Object.assign(new Error(`refused with ${code}`), { code });
async function store({ status }) {
  const code = fails.shift();
  if (code) {
    for (const step of between.splice(0)) await take(step);
    throw refusal(code);
  }
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
    between = step.between ?? [];
    stored = [];
    await hooks.runHook('workflowExecuteAfter', [{ status: step.end, ...step.run }]);
    return stored.length > 0 ? 'stored' : 'not stored';
  }
  if (step.stand) return void (stoodMs += step.stand);
  if (step.row) return void (row = step.row);
  if (step.rowFails) return void (rowFails = step.rowFails);
  if (step.take) return void (await asking.zadd(key('taken'), now() - (step.agoMs ?? 0), ID));
  if (step.state) return states()['keep-stalled'];
  if (step.told) {
    for (let more = 100; more > 0; more -= 1) {
      if ((await asking.zscore(key('alive'), ID)) !== null) return true;
      await sleep(50);
    }
    return false;
  }
  if (step.reborn) {
    await asking.flushall();
    return void client.disconnect(true);
  }
  if (step.look === 'when') return asking.zrange(key('done'), 0, -1, 'WITHSCORES');
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

/** So many executions that this worker runs end at once. */
async function endAll(ids) {
  // Time passes from one sleeper to the next.
  let clockMs = Date.now();
  Date.now = () => clockMs;
  const sleepers = [];
  timers.setTimeout = (ms) => new Promise((wake) => sleepers.push({ atMs: clockMs + ms, wake }));
  const pass = () => {
    const [next] = sleepers.sort((a, b) => a.atMs - b.atMs).splice(0, 1);
    if (next !== undefined) clockMs = next.atMs;
    next?.wake();
    setImmediate(pass);
  };
  setImmediate(pass);
  const backMs = clockMs + awayMs;
  let askedInVain = 0;
  let hung = 0;
  const since = new Map();
  persistence.applyDataUpdate = persistence.updateEntityOnly = async () => {
    const at = Date.now();
    if (at < backMs) {
      askedInVain += 1;
      throw Object.assign(new Error('the database is away'), { code: '57P03' });
    }
    if (hangs && hung++ === 0) return new Promise(() => undefined);
    since.set(at, 1 + (since.get(at) ?? 0));
    return true;
  };
  const ends = ids.map((id) => {
    const own = new ExecutionLifecycleHooks('webhook', id, { id: 'w', name: 'W' });
    own.addHandler('workflowExecuteAfter', (run) =>
      persistence.updateExistingExecution(id, run, { requireNotCanceled: true }),
    );
    return own.runHook('workflowExecuteAfter', [{ status: 'success' }]);
  });
  if (hangs) while (since.size === 0 || hung < ids.length) await new Promise(setImmediate);
  else await Promise.all(ends);
  const took = [...since.values()];
  const stored = took.reduce((sum, one) => sum + one, 0);
  console.log(JSON.stringify({ stored, askedInVain, max: Math.max(...took) }));
  process.exit();
}

const processor = Object.assign(Object.create(JobProcessor.prototype), {
  executionPersistence: persistence,
  executionRepository: {
    findSingleExecution: async () => {
      const code = rowFails.shift();
      if (code) throw refusal(code);
      return { status: row };
    },
  },
});
client.once('ready', () => {
  const queue = { keyPrefix: 'bull', client };
  if (many !== undefined) {
    const ids = Array.from({ length: many }, (_, at) => String(at + 1));
    persistence.findSingleExecution = () => new Promise(() => undefined);
    for (const id of ids) processor.processJob({ id, queue, data: { executionId: id } });
    return void endAll(ids);
  }
  processor.processJob({ id: '7', queue, data: { executionId: ID } });
});
