// What became of a payload, and the rule that follows from many. Pure.

/** By the word in the records. */
export const OUTCOMES = {
  ok: 'the expected response',
  refused: 'an error, as it exceeds the cap',
  'runner heap': 'an error, as the heap of the task runner is full',
  'runner killed': "an error, as the kernel ended the runner's own container",
  error: 'an error',
  heap: 'n8n ends: its heap is full',
  killed: 'the kernel ends a process of the container',
  ended: 'n8n ends',
};
/** n8n itself runs on. */
const OUTLIVED = new Set(['ok', 'refused', 'runner heap', 'runner killed', 'error']);
export const isOutlived = ({ outcome }: { outcome: string }): boolean => OUTLIVED.has(outcome);

/** One payload in one container. */
export interface Row {
  containerMiB: number;
  heapMiB: number;
  payloadMiB: number;
  outcome: string;
}

/** What n8n's broker and V8 write to the log. */
const IS_REFUSED = /Max payload size exceeded/;
const HEAP_IS_FULL = /JavaScript heap out of memory/;

export interface Ending {
  isExpected: boolean;
  end: string | null;
  oomKills: number;
  runnerOomKills: number;
  log: string;
}

/**
 * `end`: what n8n ended by, null where it did not; `oomKills` in its container and in the runner's own since the payload was
 * sent; `log`: what both have written since then.
 */
export function outcomeOf({ isExpected, end, oomKills, runnerOomKills, log }: Ending): string {
  // With control groups of version 2 the whole container ends with the process that the kernel chose.
  if (oomKills > 0 || end === 'memory') return 'killed';
  if (end === 'heap') return 'heap';
  if (end !== null) return 'ended';
  if (isExpected) return 'ok';
  if (runnerOomKills > 0) return 'runner killed';
  if (HEAP_IS_FULL.test(log)) return 'runner heap';
  return IS_REFUSED.test(log) ? 'refused' : 'error';
}

const sizesOf = (rows: readonly Row[]): number[] =>
  [...new Set(rows.map(({ containerMiB }) => containerMiB))].toSorted((a, b) => a - b);

/**
 * By container, in MiB: the largest payload that got its response in every way of sharing it out, the largest that n8n
 * outlived, and the least that ended it, null where none did. Each counts only as far as no smaller one did worse.
 */
export function largestPayloads(rows: readonly Row[]) {
  return sizesOf(rows).map((containerMiB) => {
    const own = rows.filter((row) => row.containerMiB === containerMiB);
    const below = (isFine: (row: Row) => boolean): number => {
      const bad = Math.min(...own.filter((row) => !isFine(row)).map((row) => row.payloadMiB));
      return Math.max(0, ...own.map((row) => row.payloadMiB).filter((size) => size < bad));
    };
    const deadly = own.filter((row) => !isOutlived(row)).map(({ payloadMiB }) => payloadMiB);
    return {
      containerMiB,
      passesMiB: below(({ outcome }) => outcome === 'ok'),
      outlivedMiB: below(isOutlived),
      endedByMiB: deadly.length === 0 ? null : Math.min(...deadly),
    };
  });
}

/** Rows of heaps that were filled: ended by V8's own error, or by the kernel. */
const filled = (rows: readonly Row[], outcome: string): Row[] =>
  rows.filter((row) => row.outcome === outcome);
const shareOf = ({ heapMiB, containerMiB }: Row): number => heapMiB / containerMiB;
const besideOf = ({ heapMiB, containerMiB }: Row): number => containerMiB - heapMiB;

const greatest = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Math.max(...values);
const min = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Math.min(...values);

/** By container, in MiB: the largest heap that ended in V8's error below all that the kernel ended, and the least of those. */
export function fittingHeaps(rows: readonly Row[]) {
  return sizesOf(rows).map((containerMiB) => {
    const own = rows.filter((row) => row.containerMiB === containerMiB);
    const killedMiB = min(filled(own, 'killed').map(({ heapMiB }) => heapMiB));
    const safe = filled(own, 'heap').map(({ heapMiB }) => heapMiB);
    const isBelow = (heapMiB: number): boolean => killedMiB === null || heapMiB < killedMiB;
    return { containerMiB, heapMiB: greatest(safe.filter(isBelow)), killedMiB };
  });
}

/**
 * The rule. `heapShare`: the largest share of a container that a heap had when V8 reported an error, below every share with
 * which the kernel ended it; `besideMiB`: the same as the least that was left beside the heap; `payloadShare`: the share of
 * each container that messages ended up to which n8n outlived one. Null where nothing tells. `held`: filled heaps; `returned`: messages
 * without a cap.
 */
export function fitRule({ held, returned }: { held: readonly Row[]; returned: readonly Row[] }) {
  const [safe, killed] = [filled(held, 'heap'), filled(held, 'killed')];
  const killedFrom = Math.min(...killed.map(shareOf));
  const tooLittleMiB = Math.max(...killed.map(besideOf));
  // If nothing ended n8n, the largest that was tried bounds nothing.
  const messages = largestPayloads(returned).filter(({ endedByMiB }) => endedByMiB !== null);
  return {
    heapShare: greatest(safe.map(shareOf).filter((share) => share < killedFrom)),
    besideMiB: min(safe.map(besideOf).filter((besideMiB) => besideMiB > tooLittleMiB)),
    payloadShare: min(messages.map(({ outlivedMiB, containerMiB }) => outlivedMiB / containerMiB)),
  };
}
