// Makes sandboxes for expressions as n8n does, with n8n's own code, evaluates in each, and writes what each step took.
// node [--require patch] isolate.cjs <n8n's package.json> <how many>
const { createRequire } = require('node:module');
const { performance } = require('node:perf_hooks');

const [, , manifest, count] = process.argv;
const { IsolatedVmBridge } = createRequire(manifest)('@n8n/expression-runtime');
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const DATA = { $json: { a: 1, b: 'quick brown fox' }, $runIndex: 0 };
const SIMPLE = 'return this.$json.a + 1;';
/** Expressions as a workflow has them whose nodes have some each. */
const OTHERS = Array.from({ length: 20 }, (_, n) => `return this.$json.a + ${n + 2};`);
/** What n8n evaluates expressions in if nothing else is set. */
const timezone = 'America/New_York';
const FUNCTION = `return this.extend(this.$json.b, 'toTitleCase', []);`;
/** The first ones compile n8n's own code on the host. */
const WARM_UP = 10;

const steps = {};
function timed(step, work) {
  const begun = performance.now();
  const result = work();
  (steps[step] ??= []).push(performance.now() - begun);
  return result;
}

for (let n = 0; n < WARM_UP + Number(count); n += 1) {
  const before = process.cpuUsage();
  const limits = { timeout: 5000, memoryLimit: 128 };
  const bridge = new IsolatedVmBridge({ ...limits, compileCache: true, logger: silent });
  timed('madeMs', () => bridge.initializeSync());
  timed('firstMs', () => bridge.execute(SIMPLE, DATA, { timezone }));
  timed('othersMs', () => OTHERS.forEach((code) => bridge.execute(code, DATA, { timezone })));
  timed('functionMs', () => bridge.execute(FUNCTION, DATA, { timezone }));
  timed('disposedMs', () => void bridge.dispose());
  const { user, system } = process.cpuUsage(before);
  (steps.cpuMs ??= []).push((user + system) / 1000);
}

const median = (values) => values.slice(WARM_UP).sort((a, b) => a - b)[Math.floor(count / 2)];
const medians = Object.entries(steps).map(([step, values]) => [step, median(values)]);
process.stdout.write(JSON.stringify(Object.fromEntries(medians)));
