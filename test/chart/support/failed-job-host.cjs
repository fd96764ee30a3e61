// Has n8n's own WorkflowRunner fail an execution as it is told, and writes the run that it would have stored. Reads
// {mode, error: {name, message}, status, stored, away}; `stored` is what the database has of the execution, null where that
// cannot be read. It is away the first `away` times that it is asked. Time passes as fast as it is waited for. With {many,
// awayMs} so many executions fail at once while the database is away for so long, and what it was asked is written. With
// `redis` the queue is there, and what n8n stored, and told whoever waits, is written too: {wrote, told}; `row` is more of what
// the database has.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const timers = require('node:timers/promises');

const manifest = process.argv[2];
const load = createRequire(manifest);
load('reflect-metadata');
const { WorkflowRunner } = load(join(dirname(manifest), 'dist/workflow-runner.js'));
const { MaxStalledCountError } = load(
  join(dirname(manifest), 'dist/errors/max-stalled-count.error.js'),
);
const {
  mode,
  error,
  status,
  stored,
  away = 0,
  many,
  awayMs = 0,
  redis,
  row = {},
} = JSON.parse(readFileSync(0, 'utf8'));

let clockMs = Date.now();
Date.now = () => clockMs;
timers.setTimeout = async (ms) => void (clockMs += ms);

const backMs = clockMs + awayMs;
let asked = 0;
let askedInVain = 0;
/** How often it was asked in each moment since it is back. */
const since = new Map();
const ask = (answer) => {
  asked += 1;
  if (asked <= away || clockMs < backMs) {
    askedInVain += 1;
    throw new Error('Connection terminated');
  }
  since.set(clockMs, 1 + (since.get(clockMs) ?? 0));
  return answer();
};
const nothing = () => undefined;
let now = { status, ...row };
const told = [];
const queue = redis && { keyPrefix: 'bull', client: new (load('ioredis').Redis)(redis) };
const { ScalingService } = queue
  ? load(join(dirname(manifest), 'dist/scaling/scaling.service.js'))
  : {};
const runner = {
  ...(queue && {
    scalingService: Object.assign(Object.create(ScalingService.prototype), {
      ...{ queueByName: new Map([['jobs', queue]]), initialQueueName: 'jobs' },
    }),
  }),
  executionsConfig: { mode },
  storageConfig: { modeTag: 'db' },
  logger: { error: nothing, warn: nothing },
  errorReporter: { error: nothing },
  activeExecutions: {
    finalizeExecution: (_, run) => void told.push(run),
    resolveExecutionResponsePromise: nothing,
  },
  executionRepository: { findSingleExecution: async () => ask(() => now) },
  executionPersistence: {
    findSingleExecution: async () =>
      ask(() => {
        if (stored === null) throw new Error('the database is away');
        return { data: stored, ...now };
      }),
  },
};
const failure =
  error.name === 'MaxStalledCountError'
    ? new MaxStalledCountError(new Error(error.message))
    : new Error(error.message);
const fail = (id, runHook) =>
  WorkflowRunner.prototype.processError.call(runner, failure, new Date(0), 'webhook', id, {
    runHook,
  });
const one = () => fail('1', async (_, [run]) => console.log(JSON.stringify(run ?? null)));
async function withQueue() {
  const wrote = [];
  await fail('1', async (_, [run]) => {
    wrote.push(run);
    now = { ...now, ...run };
  });
  console.log(JSON.stringify({ wrote, told, left: await queue.client.keys('*') }));
}
async function all() {
  const wrote = [];
  const ids = Array.from({ length: many }, (_, at) => String(at + 1));
  await Promise.all(ids.map((id) => fail(id, async () => void wrote.push(id))));
  const max = Math.max(...since.values());
  console.log(JSON.stringify({ stored: wrote.length, askedInVain, max }));
}
(queue ? withQueue() : many === undefined ? one() : all())
  .catch((problem) => console.log(JSON.stringify({ problem: problem.message })))
  .then(() => process.exit());
