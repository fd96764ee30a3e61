/** What the log of n8n and looks at its database tell of an upgrade. Pure. */
import { mean } from '../../../analysis/statistics/statistics';
import { studentQuantile } from '../../../analysis/statistics/distributions';
import type { MigrateRecord, MigrateRound, Predicted } from '../record';
import { counted, duration, formatNumber } from '../../../ui/numbers';

/** One look at PostgreSQL while n8n migrates. */
export interface MigrationLook {
  atMs: number;
  /** Written to the log of PostgreSQL since its begin. */
  walMiB: number;
  /** Tables that are locked against everybody else. */
  locked: readonly string[];
}

interface Span {
  name: string;
  fromMs: number;
  toMs: number;
}

/** Migrations by the JSON lines of n8n's log, in the order in which they ran. */
export function migrationsIn(log: string): Span[] {
  const begun = new Map<string, number>();
  const spans: Span[] = [];
  for (const line of log.split('\n')) {
    const [, what, name] = /"(Starting|Finished) migration (\w+)"/.exec(line) ?? [];
    const [, time] = /"timestamp":"([^"]+)"/.exec(line) ?? [];
    if (name === undefined || time === undefined) continue;
    const atMs = Date.parse(time);
    if (what === 'Starting') begun.set(name, atMs);
    else spans.push({ name, fromMs: begun.get(name) ?? atMs, toMs: atMs });
  }
  return spans;
}

/** The same with what PostgreSQL wrote meanwhile and which tables it locked, as far as the looks tell it apart. */
export function withWalAndLocks(
  spans: readonly Span[],
  looks: readonly MigrationLook[],
): MigrateRound['migrations'] {
  const locks = locksTaken(spans, looks);
  return spans.map(({ name, fromMs, toMs }, index) => ({
    name,
    ms: toMs - fromMs,
    walMiB: Math.max(0, walAt(looks, toMs) - walAt(looks, fromMs)),
    locks: [...(locks.get(index) ?? [])].sort(),
  }));
}

/** A lock was taken between two looks: by the migration that had most of that time. By the indices of the spans. */
function locksTaken(
  spans: readonly Span[],
  looks: readonly MigrationLook[],
): Map<number, Set<string>> {
  const taken = new Map<number, Set<string>>();
  looks.forEach(({ atMs, locked }, at) => {
    const before = looks[at - 1];
    const fresh = locked.filter((table) => before?.locked.includes(table) !== true);
    if (fresh.length === 0) return;
    const shares = spans.map(
      ({ fromMs, toMs }) => Math.min(toMs, atMs) - Math.max(fromMs, before?.atMs ?? -Infinity),
    );
    const max = Math.max(...shares);
    if (max < 0) return;
    const index = shares.indexOf(max);
    taken.set(index, new Set([...(taken.get(index) ?? []), ...fresh]));
  });
  return taken;
}

/** Evenly between two looks. */
function walAt(looks: readonly MigrationLook[], atMs: number): number {
  const after = looks.findIndex((look) => look.atMs >= atMs);
  const [one, other] = [looks[after - 1], looks[after]];
  if (after < 0) return looks.at(-1)?.walMiB ?? 0;
  if (one === undefined || other === undefined) return looks[0]?.walMiB ?? 0;
  const share = (atMs - one.atMs) / (other.atMs - one.atMs);
  return one.walMiB + share * (other.walMiB - one.walMiB);
}

/** How long each table was locked, as far as the looks tell it: from the first to the one after the last. */
export function locksIn(looks: readonly MigrationLook[]): MigrateRound['locks'] {
  const heldMs = new Map<string, number>();
  looks.forEach(({ atMs, locked }, index) => {
    const nextMs = looks[index + 1]?.atMs ?? atMs;
    for (const table of locked) heldMs.set(table, (heldMs.get(table) ?? 0) + nextMs - atMs);
  });
  return [...heldMs]
    .map(([table, ms]) => ({ table, ms: Math.round(ms) }))
    .sort((one, other) => other.ms - one.ms || one.table.localeCompare(other.table));
}

/**
 * The straight line through the points, and where one more would lie with 95% probability if they scatter about it
 * alike. Null where there are less than three points, or one size alone.
 */
export function predictedAt(
  points: readonly { x: number; y: number }[],
  x: number,
): Predicted | null {
  const count = points.length;
  const meanX = mean(points.map((point) => point.x));
  const meanY = mean(points.map((point) => point.y));
  const spread = points.reduce((sum, point) => sum + (point.x - meanX) ** 2, 0);
  if (count < 3 || spread === 0) return null;
  const slope =
    points.reduce((sum, point) => sum + (point.x - meanX) * (point.y - meanY), 0) / spread;
  const at = (where: number): number => meanY + slope * (where - meanX);
  const residual = points.reduce((sum, point) => sum + (point.y - at(point.x)) ** 2, 0);
  const deviation = Math.sqrt(
    (residual / (count - 2)) * (1 + 1 / count + (x - meanX) ** 2 / spread),
  );
  const half = studentQuantile(0.975, count - 2) * deviation;
  const [value, low, high] = [at(x), at(x) - half, at(x) + half].map((one) => Math.max(0, one));
  return { value: value ?? 0, low: low ?? 0, high: high ?? 0 };
}

/** Sizes at which it is rehearsed, as many for each factor of ten. */
export const sizesOf = (executions: number): number[] =>
  [0.1, Math.sqrt(0.1), 1].map((share) => Math.round(executions * share));

/** The round of the largest size that took longest. */
export function worstOf(rounds: readonly MigrateRound[]): MigrateRound | undefined {
  const max = Math.max(...rounds.map(({ executions }) => executions));
  return rounds
    .filter(({ executions }) => executions === max)
    .sort((one, other) => other.blockedMs - one.blockedMs)[0];
}

type Told = Omit<MigrateRecord, 'sentence' | 'verdict'>;

export function verdictOf(record: Told): Pick<MigrateRecord, 'sentence' | 'verdict'> {
  const { from, to, restored, executions } = record;
  const worst = worstOf(record.rounds);
  const isBack = restored.answers && restored.executions >= executions;
  const migrated = `n8n ${to} migrated ${counted(executions, 'execution')} of n8n ${from} in ${duration(worst?.migrationMs ?? 0)}, and webhooks were blocked for ${duration(worst?.blockedMs ?? 0)}`;
  return isBack
    ? { verdict: 'PASS', sentence: `${migrated}; n8n ${from} works again on the restored backup.` }
    : {
        verdict: 'FAIL',
        sentence: `${migrated}; but n8n ${from} does not work on the restored backup: ${restored.answers ? `only ${formatNumber(restored.executions)} executions are left` : 'a webhook did not respond as expected'}.`,
      };
}
