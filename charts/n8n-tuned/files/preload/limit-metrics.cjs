// n8n's metrics say how much memory a process uses and how many jobs run, not how much there may be of each. This adds the
// limits of the process to /metrics, as the process itself has them: the limit of V8's heap, the memory limit of the
// container, and how many executions a worker runs at once. Loaded before n8n (node --require). docs/monitoring.md
const v8 = require('node:v8');
const { IN_FORCE, onLoad, patch, setState, states } = require('./in-force.cjs');

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

/** Each patch that the process has loaded, with its state at the moment of the question. */
function registerPatches({ Gauge }) {
  new Gauge({
    name: 'n8n_tuned_patch_in_force',
    help: '1 for each patch of n8n-tuned that is in force, 0 for each that this process has loaded and that is not.',
    labelNames: ['patch', 'state'],
    collect() {
      this.reset();
      for (const [name, state] of Object.entries(states()))
        this.set({ patch: name, state }, IN_FORCE.has(state) ? 1 : 0);
    },
  });
}

const NAME = 'limit-metrics';
const find = (loaded) => (loaded?.Gauge === undefined ? undefined : loaded);

patch(NAME, [NAME], () =>
  onLoad(/^prom-client$/, find, (client) => {
    setState(NAME, 'known');
    const add = () => {
      register(client);
      registerPatches(client);
    };
    add();
    // Older releases of n8n, such as 1.123 and 2.23, clear the registry when they start.
    const { register: registry } = client;
    const clear = registry.clear.bind(registry);
    registry.clear = () => {
      clear();
      add();
    };
  }),
);
