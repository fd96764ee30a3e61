// Which statements an execution sends to PostgreSQL, from every statement that was captured under load. Pure.

/** Frames of n8n's own code; what lies between them and the database is TypeORM's. */
const OWN = /\bnode_modules\/(?:\.pnpm\/[^/]+\/node_modules\/)?((?:n8n|n8n-core|@n8n\/db)\/.+)$/;
/** The callers that are named: enough to see what a statement is for. */
const CALLERS = 3;
/** Sent less often than this for each response, it belongs to a timer, not to an execution. */
const MIN_PER_RESPONSE = 0.5;
const ROLES: Record<string, string> = { start: 'main', webhook: 'webhook', worker: 'worker' };

/** Its verb, its tables, and which columns it changes: `UPDATE execution_entity: status, startedAt`. */
export function shortOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const tables = new Set(
    [...line.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE(?! SET)) (?:"\w+"\.)?"?(\w+)"?/g)].map(
      ([, name]) => name,
    ),
  );
  const named = [...tables].join(', ');
  if (tables.size === 0) return line;
  if (/^SELECT DISTINCT "distinctAlias"/.test(line)) return `SELECT DISTINCT id FROM ${named}`;
  const [, changed] = /^UPDATE .*? SET (.*?)(?: WHERE .*)?$/.exec(line) ?? [];
  if (changed !== undefined) {
    const columns = [...changed.matchAll(/"(\w+)" =/g)].map(([, name]) => name);
    return `UPDATE ${named}: ${columns.join(', ')}`;
  }
  if (line.startsWith('INSERT')) return `INSERT INTO ${named}`;
  return `${line.split(' ', 1).join('')} FROM ${named}`;
}

/** Like `WorkflowRunner.run (n8n/src/workflow-runner.ts:851)`, the innermost first. */
export function callersOf(stack: string): string[] {
  const callers = stack.split('\n').flatMap((frame) => {
    const [, name, where] = /^\s+at (?:async )?(?:(.*?) \()?(.*?):\d+\)?$/.exec(frame) ?? [];
    const [, file] = OWN.exec(where ?? '') ?? [];
    return file === undefined ? [] : [name === undefined ? file : `${name} (${file})`];
  });
  return callers.slice(0, CALLERS);
}

/** What limits/capture.cjs writes. */
export interface Captured {
  atMs: number;
  role: string;
  text: string;
  stack: string;
}

interface Group {
  role: string;
  statement: string;
  callers: string[];
  sent: number;
}

/** Those between `fromMs` and `toMs`, in which there were `responses` responses. */
export function statementsOf(
  captured: readonly Captured[],
  { fromMs, toMs, responses }: { fromMs: number; toMs: number; responses: number },
) {
  const groups = new Map<string, Group>();
  for (const { atMs, role, text, stack } of captured) {
    if (atMs < fromMs || atMs >= toMs) continue;
    const one = { role: ROLES[role] ?? role, statement: shortOf(text), callers: callersOf(stack) };
    const key = JSON.stringify(one);
    const group = groups.get(key) ?? { ...one, sent: 0 };
    groups.set(key, { ...group, sent: group.sent + 1 });
  }
  const all = [...groups.values()].map((one) => ({ ...one, perResponse: one.sent / responses }));
  return {
    statements: all.filter(({ perResponse }) => perResponse >= MIN_PER_RESPONSE),
    byTimers: all
      .filter(({ perResponse }) => perResponse < MIN_PER_RESPONSE)
      .reduce((sum, { sent }) => sum + sent, 0),
  };
}
