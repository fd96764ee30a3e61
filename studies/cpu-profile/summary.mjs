// What a CPU profile says of the time in which n8n was under load: whose code the thread ran, by package. Pure.

/** Of V8, instead of a function: what the thread did otherwise. */
const OTHERWISE = {
  '(idle)': 'idle',
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code by itself',
};
const NODE = 'Node.js';
/** The functions that are named: enough to see what a package spends it on. */
const FUNCTIONS = 15;

/** The package that a file belongs to; null where it is none's. */
export function packageOf(url) {
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  return name ?? null;
}

/** Like `n8n-core/dist/execution-engine/workflow-execute.js`, wherever it lies. */
const placeOf = (url) => url.replace(/^.*\/node_modules\//, '').replace(/^file:\/\/.*\//, '');

const roleOf = ({ argv }) => {
  const words = argv.join(' ');
  if (/\bworker\b/.test(words)) return 'worker';
  if (/\bwebhook\b/.test(words)) return 'webhook';
  return /task-runner/.test(words) ? 'runner' : 'main';
};

/** By the id of a node: the nearest function that belongs to a package or stands for V8, from itself to its callers. */
function ownersOf(nodes) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const isOwner = ({ functionName, url }) => functionName in OTHERWISE || packageOf(url) !== null;
  return (id) => {
    let at = id;
    while (at !== undefined && !isOwner(byId.get(at).callFrame)) at = parents.get(at);
    return at === undefined ? null : byId.get(at).callFrame;
  };
}

const groupOf = (owner) =>
  owner === null ? NODE : (OTHERWISE[owner.functionName] ?? packageOf(owner.url));

/** Of native code its name says little without who called it. */
function nameOf({ functionName, url }, owner) {
  const name = functionName || 'anonymous';
  if (url !== '') return `${name} (${placeOf(url)})`;
  const caller =
    owner === null ? NODE : `${owner.functionName || 'anonymous'} of ${placeOf(owner.url)}`;
  return `${name} (native code, for ${caller})`;
}

const sumBy = (pairs) => {
  const sums = new Map();
  for (const [key, value] of pairs) sums.set(key, (sums.get(key) ?? 0) + value);
  return [...sums].toSorted(([, a], [, b]) => b - a);
};

/** Milliseconds of the thread between two moments, by group and by function, most first. */
export function summaryOf({ startedAtMs, argv, profile }, { fromMs, toMs }) {
  const ownerOf = ownersOf(profile.nodes);
  const self = new Map();
  let atMs = startedAtMs;
  profile.samples.forEach((id, index) => {
    const ms = profile.timeDeltas[index] / 1000;
    atMs += ms;
    if (atMs >= fromMs && atMs < toMs) self.set(id, (self.get(id) ?? 0) + ms);
  });
  const seen = profile.nodes.filter(({ id }) => self.has(id));
  const groups = sumBy(seen.map(({ id }) => [groupOf(ownerOf(id)), self.get(id)]));
  const functions = sumBy(
    seen
      .filter(({ callFrame }) => !(callFrame.functionName in OTHERWISE))
      .map(({ id, callFrame }) => [nameOf(callFrame, ownerOf(id)), self.get(id)]),
  );
  return {
    role: roleOf({ argv }),
    threadMs: groups.reduce((sum, [, ms]) => sum + ms, 0),
    groups: groups.map(([name, ms]) => ({ name, ms })),
    functions: functions.slice(0, FUNCTIONS).map(([name, ms]) => ({ name, ms })),
  };
}
