// n8n's metrics say how much memory a process uses and how many jobs run, not how much there may be of each. This adds the
// limits of the process to /metrics, as the process itself has them: the limit of V8's heap, the memory limit of the
// container, and how many executions a worker runs at once. Loaded before n8n (node --require). docs/monitoring.md
const Module = require('node:module');
const v8 = require('node:v8');

/** Executions at once of a worker (its argument, which n8n's variable overrides), null in every other process. */
function workerConcurrency(argv, env) {
  const command = argv.indexOf('worker');
  if (command === -1) return null;
  const limit = Number(env.N8N_CONCURRENCY_PRODUCTION_LIMIT);
  if (limit > 0) return limit;
  const words = argv.slice(command + 1).flatMap((word) => word.split('='));
  const given = Number(words[words.indexOf('--concurrency') + 1]);
  return given > 0 ? given : 10;
}

/** Bytes; null where the container has no limit, which Node.js tells as 0 or as more than any machine has. */
function memoryLimit() {
  const bytes = process.constrainedMemory?.() ?? 0;
  return bytes > 0 && bytes < 2 ** 50 ? bytes : null;
}

const LIMITS = [
  {
    name: 'n8n_tuned_heap_limit_bytes',
    help: "Limit of V8's heap of this process.",
    value: () => v8.getHeapStatistics().heap_size_limit,
  },
  {
    name: 'n8n_tuned_memory_limit_bytes',
    help: 'Memory limit of the container of this process.',
    value: memoryLimit,
  },
  {
    name: 'n8n_tuned_worker_concurrency',
    help: 'Executions that this worker runs at once.',
    value: () => workerConcurrency(process.argv, process.env),
  },
];

function register({ Gauge }) {
  for (const { name, help, value } of LIMITS) {
    const limit = value();
    if (limit !== null) new Gauge({ name, help }).set(limit);
  }
}

function install() {
  const load = Module._load;
  let isDone = false;
  Module._load = function (request, ...rest) {
    const loaded = load.call(this, request, ...rest);
    if (!isDone && request === 'prom-client') {
      // It stays: to put back what was before would drop what other scripts have put on top.
      isDone = true;
      register(loaded);
    }
    return loaded;
  };
}

if (!process.env.N8N_TUNED_WITHOUT?.split(',').includes('limit-metrics')) install();
