// What a CPU profile says of the time in which n8n was under load: whose code the thread ran, by package. Pure.

/** V8's words instead of a function: what the thread did otherwise. */
const OTHERWISE: Record<string, string> = {
  '(idle)': 'idle',
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code by itself',
};
const NODE = 'Node.js';
/** The functions that are named: enough to see what a package spends it on. */
const FUNCTIONS = 15;

interface CallFrame {
  functionName: string;
  url: string;
}

interface ProfileNode {
  id: number;
  callFrame: CallFrame;
  children?: number[];
}

/** What profile.cjs writes. */
export interface Profiled {
  startedAtMs: number;
  argv: string[];
  profile: { nodes: ProfileNode[]; samples: number[]; timeDeltas: number[] };
}

/** The package that a file belongs to; null where it is none's. */
export function packageOf(url: string): string | null {
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  return name ?? null;
}

/** Like `n8n-core/dist/execution-engine/workflow-execute.js`, wherever it lies. */
const placeOf = (url: string): string =>
  url.replace(/^.*\/node_modules\//, '').replace(/^file:\/\/.*\//, '');

const roleOf = ({ argv }: Pick<Profiled, 'argv'>): string => {
  const words = argv.join(' ');
  if (/\bworker\b/.test(words)) return 'worker';
  if (/\bwebhook\b/.test(words)) return 'webhook';
  return /task-runner/.test(words) ? 'runner' : 'main';
};

/** By the id of a node: the nearest function that belongs to a package or stands for V8, from itself to its callers. */
function ownersOf(nodes: readonly ProfileNode[]): (id: number) => CallFrame | null {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const isOwner = ({ functionName, url }: CallFrame): boolean =>
    functionName in OTHERWISE || packageOf(url) !== null;
  return (id) => {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = byId.get(at)?.callFrame;
      if (frame !== undefined && isOwner(frame)) return frame;
    }
    return null;
  };
}

const groupOf = (owner: CallFrame | null): string =>
  owner === null ? NODE : (OTHERWISE[owner.functionName] ?? packageOf(owner.url) ?? NODE);

/** The name of native code says little without who called it. */
function nameOf({ functionName, url }: CallFrame, owner: CallFrame | null): string {
  const name = functionName || 'anonymous';
  if (url !== '') return `${name} (${placeOf(url)})`;
  const caller =
    owner === null ? NODE : `${owner.functionName || 'anonymous'} of ${placeOf(owner.url)}`;
  return `${name} (native code, for ${caller})`;
}

const sumBy = (pairs: readonly (readonly [string, number])[]): [string, number][] => {
  const sums = new Map<string, number>();
  for (const [key, value] of pairs) sums.set(key, (sums.get(key) ?? 0) + value);
  return [...sums].sort(([, a], [, b]) => b - a);
};

/** Milliseconds of the thread between two moments, by group and by function, most first. */
export function summaryOf(
  { startedAtMs, argv, profile }: Profiled,
  { fromMs, toMs }: { fromMs: number; toMs: number },
) {
  const ownerOf = ownersOf(profile.nodes);
  const self = new Map<number, number>();
  let atMs = startedAtMs;
  profile.samples.forEach((id, index) => {
    const ms = (profile.timeDeltas[index] ?? 0) / 1000;
    atMs += ms;
    if (atMs >= fromMs && atMs < toMs) self.set(id, (self.get(id) ?? 0) + ms);
  });
  const seen = profile.nodes.filter(({ id }) => self.has(id));
  const groups = sumBy(seen.map(({ id }) => [groupOf(ownerOf(id)), self.get(id) ?? 0] as const));
  const functions = sumBy(
    seen
      .filter(({ callFrame }) => !(callFrame.functionName in OTHERWISE))
      .map(({ id, callFrame }) => [nameOf(callFrame, ownerOf(id)), self.get(id) ?? 0] as const),
  );
  return {
    role: roleOf({ argv }),
    threadMs: groups.reduce((sum, [, ms]) => sum + ms, 0),
    groups: groups.map(([name, ms]) => ({ name, ms })),
    functions: functions.slice(0, FUNCTIONS).map(([name, ms]) => ({ name, ms })),
  };
}
