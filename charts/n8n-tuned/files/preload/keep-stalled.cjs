// When a worker dies, the process that has accepted its executions fails each of them once its job has stalled; when a worker
// cannot reach the database, it fails the job itself. n8n then writes an empty run over what was stored, the payload of the
// request included, so that a retry has nothing to run and ends as a success. If the database is away at that moment, it stores
// nothing, and the execution stays new or running for hours. Loaded before n8n (node --require), this waits for the database
// and stores the error beside what there is, so that a retry does the work. If the worker had run it to its end and could not
// store its success, this stores the success with its result from Redis. A worker that was cut off still gets its jobs when it
// reaches Redis again. Their executions have failed meanwhile, and the stored error would become an error of their first node:
// they are not run, as n8n does not run those that have crashed. What a worker itself does for what it runs is in
// running-work.cjs. docs/recovery.md
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { knows, onLoad, patch, say: tell } = require('./in-force.cjs');

const {
  AWAY_MS,
  asWork,
  isAnyWaiting,
  isAway,
  later,
  resultOf,
  storeLater,
  unmark,
  watchNodes,
} = require('./running-work.cjs');

const NAME = 'keep-stalled';
const say = (what) => tell(NAME, what);

/** n8n reads the status of the execution first, and gives up where it cannot. */
async function awaitDatabase({ executionRepository }, executionId) {
  const ask = () => executionRepository.findSingleExecution(executionId, { includeData: false });
  let problem;
  if (!isAnyWaiting()) {
    try {
      await ask();
      return;
    } catch (refusal) {
      if (!isAway(refusal)) return;
      problem = refusal;
    }
  }
  if (!isAnyWaiting()) {
    say(
      `execution ${executionId} has failed, which is stored once the database is back: ${problem}`,
    );
  }
  await later(ask, { problem, untilMs: Date.now() + AWAY_MS }).catch(() => undefined);
}

/** The failed run, with what is stored of the execution in place of nothing. */
async function kept(runner, executionId, run) {
  const stored = await runner.executionPersistence.findSingleExecution(executionId, {
    ...{ includeData: true, unflattenData: true },
  });
  const data = stored?.data;
  const next = data?.executionData?.nodeExecutionStack?.[0]?.node?.name;
  // A worker that could not store a success has stored what its nodes did, with no node left to run.
  const hasRun = Object.keys(data?.resultData?.runData ?? {}).length > 0;
  if (next === undefined && !hasRun) return run;
  const resultData = {
    ...data.resultData,
    error: run.data.resultData.error,
    // Without it n8n's retry leaves the error in the data that it goes on with.
    lastNodeExecuted: data.resultData.lastNodeExecuted ?? next,
  };
  return { ...run, data: { ...data, resultData } };
}

/** What somebody has stopped is no success, whatever became of it. */
const isCancelled = ({ message }) => String(message).includes('cancelled');

/**
 * Stores the success of an execution that a worker has run to its end and could not store. n8n finds it there, tells it the
 * caller, and deletes it if it keeps no successes.
 */
async function storeSuccess(runner, executionId, hooks, flatted) {
  const queue = runner.scalingService?.defaultQueue;
  const result = await resultOf(queue, executionId, flatted);
  if (result === undefined) return;
  const row = await runner.executionRepository.findSingleExecution(executionId, {
    includeData: false,
  });
  // A new database may give an id again.
  const isOfIt =
    row?.workflowId === result.workflowId && result.startedAt >= new Date(row.startedAt ?? 0);
  if (!isOfIt || DECIDED.has(row.status) || row.retrySuccessId) return;
  await hooks.runHook('workflowExecuteAfter', [result]);
  unmark(executionId, { queue, hasResult: true });
  say(
    `execution ${executionId} had ended as a success when its job failed, and is stored with its result`,
  );
}
const DECIDED = new Set(['success', 'waiting', 'canceled']);

function keepData(WorkflowRunner, load) {
  const flatted = load('flatted');
  const { processError } = WorkflowRunner.prototype;
  WorkflowRunner.prototype.processError = async function (
    error,
    startedAt,
    mode,
    executionId,
    hooks,
  ) {
    // In queue mode it is the job that failed: what fails by itself, the worker stores.
    const isOfJob = this.executionsConfig?.mode === 'queue';
    if (isOfJob) await awaitDatabase(this, executionId);
    if (isOfJob && hooks !== undefined && !isCancelled(error)) {
      await storeSuccess(this, executionId, hooks, flatted).catch((problem) => {
        say(`the result of execution ${executionId} could not be stored: ${problem}`);
      });
    }
    const keeping = {
      runHook: async (name, [run]) => {
        const whole = await kept(this, executionId, run).catch((problem) => {
          say(`the data of execution ${executionId} could not be kept: ${problem}`);
          return run;
        });
        return hooks.runHook(name, [whole]);
      },
    };
    const used = isOfJob && hooks !== undefined ? keeping : hooks;
    return processError.call(this, error, startedAt, mode, executionId, used);
  };
}

function skipFailed(JobProcessor) {
  const { processJob } = JobProcessor.prototype;
  JobProcessor.prototype.processJob = function (job) {
    const { executionPersistence } = this;
    const reading = Object.create(executionPersistence, {
      findSingleExecution: {
        value: async (...asked) => {
          const execution = await executionPersistence.findSingleExecution(...asked);
          if (execution?.status !== 'error') return execution;
          say(
            `execution ${job.data.executionId} has failed before its job ${job.id} came: not run`,
          );
          return { ...execution, status: 'crashed' };
        },
      },
    });
    const own = Object.create(this, { executionPersistence: { value: reading } });
    return asWork(job, this.executionRepository, () => processJob.call(own, job));
  };
}

const PARTS = [
  {
    ...{ name: 'WorkflowRunner', file: 'workflow-runner', method: 'processError', n8n: '.' },
    ...{ wrap: keepData, otherwise: 'this n8n fails executions in an unknown way' },
  },
  {
    ...{ name: 'JobProcessor', file: 'job-processor', method: 'processJob', n8n: '..' },
    ...{ wrap: skipFailed, otherwise: 'this n8n runs jobs in an unknown way' },
  },
  {
    ...{ name: 'ExecutionPersistence', file: 'execution-persistence' },
    ...{ method: 'updateExistingExecution', wrap: storeLater },
    otherwise: 'this n8n stores executions in an unknown way',
  },
  {
    ...{ name: 'ExecutionLifecycleHooks', file: 'execution-lifecycle-hooks' },
    ...{ method: 'runHook', wrap: watchNodes, otherwise: 'this n8n runs nodes in an unknown way' },
  },
];

/** What reads an execution, which the parts with a path to n8n's code call; nothing where n8n has it elsewhere. */
function readers(path, n8n) {
  if (n8n === undefined) return {};
  const load = Module.createRequire(path);
  const folder = join(dirname(path), n8n);
  const read = 'findSingleExecution';
  try {
    const { ExecutionPersistence } = load(join(folder, 'executions/execution-persistence.js'));
    const { ExecutionRepository } = load('@n8n/db');
    return {
      [`ExecutionPersistence.${read}`]: ExecutionPersistence.prototype[read],
      [`ExecutionRepository.${read}`]: ExecutionRepository.prototype[read],
    };
  } catch {
    return { [`ExecutionPersistence.${read}`]: undefined };
  }
}

function install() {
  for (const { name, file, method, n8n, wrap, otherwise } of PARTS) {
    // Null or without it while modules that need each other are being loaded.
    const find = (loaded) =>
      loaded?.[name]?.prototype?.[method] === undefined ? undefined : loaded[name];
    onLoad(new RegExp(`(^|[\\\\/])${file}(\\.js)?$`), find, (found, { request, parent }) => {
      const path = Module._resolveFilename(request, parent);
      const functions = { [`${name}.${method}`]: found.prototype[method], ...readers(path, n8n) };
      if (knows(NAME, name, functions, otherwise)) wrap(found, Module.createRequire(path));
    });
  }
}

patch(
  NAME,
  PARTS.map(({ name }) => name),
  install,
);
