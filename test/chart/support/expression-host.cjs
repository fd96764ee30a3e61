// Evaluates expressions as n8n does, each in turn in one sandbox per list, and writes what came of them: a process of its
// own, because a patch is loaded before n8n. Reads {timezone, lists: [[expression]], data, bridges: [{limits, timezone, codes}]}.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');

const n8nRequire = createRequire(process.argv[2]);
const { Expression, Workflow } = n8nRequire('n8n-workflow');
const { IsolatedVmBridge } = n8nRequire('@n8n/expression-runtime');
const given = JSON.parse(readFileSync(0, 'utf8'));

const node = {
  ...{ id: 'a', name: 'A', type: 'test.node', typeVersion: 1, position: [0, 0], parameters: {} },
};
const description = { description: { properties: [] } };
const nodeTypes = {
  getByName: () => description,
  getByNameAndVersion: () => description,
  getKnownTypes: () => ({}),
};

/** Text that tells apart what JSON does not: undefined, NaN, dates. */
function written(value) {
  const isDate = Object.prototype.toString.call(value) === '[object Date]';
  const isLuxon = typeof value?.toISO === 'function';
  if (isDate || isLuxon) return `${value.constructor.name} ${isDate ? +value : value.toISO()}`;
  if (Array.isArray(value)) return value.map(written);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, written(each)]));
  return typeof value === 'string' ? value : String(value);
}

function outcome(evaluate) {
  try {
    const value = evaluate();
    return { type: typeof value, value: written(value) };
  } catch (error) {
    return { error: error.constructor.name, message: error.message };
  }
}

async function ofList(list) {
  const workflow = new Workflow({
    ...{ id: 'a', name: 'a', nodes: [node], connections: {}, active: false, nodeTypes },
    settings: { timezone: given.timezone },
  });
  const { expression } = workflow;
  return expression.withIsolate(() =>
    list.map((each) =>
      outcome(() =>
        expression.resolveSimpleParameterValue(
          ...[`={{ ${each} }}`, {}, null, 0, 0, 'A', [{ json: given.data ?? {} }], 'manual', {}],
        ),
      ),
    ),
  );
}

/** Raw code in a sandbox with these limits: what an expression could do that got around n8n's checks. */
async function ofBridge({ limits, timezone, codes }) {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const bridge = new IsolatedVmBridge({ logger, compileCache: true, ...limits });
  // n8n up to 2.39 has but the other one.
  if (bridge.initializeSync) bridge.initializeSync();
  else await bridge.initialize();
  return codes.map((code) => outcome(() => bridge.execute(code, {}, { timezone })));
}

async function main() {
  await Expression.initExpressionEngine({
    ...{ engine: 'vm', poolSize: 1, maxCodeCacheSize: 1024, bridgeTimeout: 30_000 },
    ...{ bridgeMemoryLimit: 128, lazyAcquire: true, compileCache: true },
  });
  const lists = [];
  for (const list of given.lists ?? []) lists.push(await ofList(list));
  const bridges = [];
  for (const bridge of given.bridges ?? []) bridges.push(await ofBridge(bridge));
  process.stdout.write(JSON.stringify({ lists, bridges }));
  await Expression.disposeExpressionEngine();
}

void main();
