// Has n8n's own WorkflowRunner fail an execution as it is told, and writes the run that it would have stored. Reads
// {mode, error: {name, message}, status, stored, away}; `stored` is what the database has of the execution, null where that
// cannot be read. It is away the first `away` times that it is asked. Time passes as fast as it is waited for.
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
const { mode, error, status, stored, away = 0 } = JSON.parse(readFileSync(0, 'utf8'));

let clockMs = Date.now();
Date.now = () => clockMs;
timers.setTimeout = async (ms) => void (clockMs += ms);

let asked = 0;
const ask = (answer) => {
  asked += 1;
  if (asked <= away) throw new Error('Connection terminated');
  return answer();
};
const nothing = () => undefined;
const runner = {
  executionsConfig: { mode },
  storageConfig: { modeTag: 'db' },
  logger: { error: nothing, warn: nothing },
  errorReporter: { error: nothing },
  activeExecutions: { finalizeExecution: nothing, resolveExecutionResponsePromise: nothing },
  executionRepository: { findSingleExecution: async () => ask(() => ({ status })) },
  executionPersistence: {
    findSingleExecution: async () =>
      ask(() => {
        if (stored === null) throw new Error('the database is away');
        return { data: stored };
      }),
  },
};
const failure =
  error.name === 'MaxStalledCountError'
    ? new MaxStalledCountError(new Error(error.message))
    : new Error(error.message);
const hooks = {
  runHook: async (_, [run]) => console.log(JSON.stringify(run ?? null)),
};
WorkflowRunner.prototype.processError
  .call(runner, failure, new Date(0), 'webhook', '1', hooks)
  .catch((problem) => console.log(JSON.stringify({ problem: problem.message })))
  .then(() => process.exit());
