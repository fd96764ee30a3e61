// When a worker dies, the process that has accepted its executions fails each of them once its job has stalled; when a worker
// cannot reach the database, it fails the job itself. n8n then writes an empty run over what was stored, the payload of the
// request included, so that a retry has nothing to run and ends as a success. Loaded before n8n (node --require), this
// stores the error beside what there is, so that a retry does the work. docs/recovery.md
const { createHash } = require('node:crypto');
const Module = require('node:module');

// The sha256 of WorkflowRunner.processError as n8n has it.
const KNOWN = new Set([
  // n8n 2.41.0, 2.41.1 and 2.41.3
  '7dbeeefbe14c5ebe89a1470c0932d60467b65a07dfb0a0a43d4a85449a320a10',
]);

const say = (what) => process.stderr.write(`n8n-tuned: keep-stalled: ${what}\n`);

/** The failed run, with what is stored of the execution in place of nothing. */
async function kept(runner, executionId, run) {
  const stored = await runner.executionPersistence.findSingleExecution(executionId, {
    ...{ includeData: true, unflattenData: true },
  });
  const data = stored?.data;
  const next = data?.executionData?.nodeExecutionStack?.[0]?.node?.name;
  if (next === undefined) return run;
  const resultData = {
    ...data.resultData,
    error: run.data.resultData.error,
    // Without it n8n's retry leaves the error in the data that it goes on with.
    lastNodeExecuted: data.resultData.lastNodeExecuted ?? next,
  };
  return { ...run, data: { ...data, resultData } };
}

function patch(WorkflowRunner) {
  const { processError } = WorkflowRunner.prototype;
  const hash = createHash('sha256').update(String(processError)).digest('hex');
  if (!KNOWN.has(hash)) {
    say('this n8n fails executions in another way than those known, left as it is');
    return;
  }
  WorkflowRunner.prototype.processError = function (error, startedAt, mode, executionId, hooks) {
    // In queue mode it is the job that failed: what fails by itself, the worker stores.
    const isOfJob = this.executionsConfig?.mode === 'queue';
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

const RUNNER = /(^|[\\/])workflow-runner(\.js)?$/;

function install() {
  const load = Module._load;
  let isDone = false;
  Module._load = function (request, ...rest) {
    const loaded = load.call(this, request, ...rest);
    // Null or without it while modules that need each other are being loaded.
    if (
      !isDone &&
      RUNNER.test(request) &&
      loaded?.WorkflowRunner?.prototype?.processError !== undefined
    ) {
      // It stays: to put back what was before would drop what other scripts have put on top.
      isDone = true;
      patch(loaded.WorkflowRunner);
    }
    return loaded;
  };
}

if (!process.env.N8N_TUNED_WITHOUT?.split(',').includes('keep-stalled')) install();
