/** What the process and its container have, in MiB. */
export interface MemoryFigures {
  heapUsedMiB: number;
  heapLimitMiB: number;
  rssMiB: number;
  /** What the container or the machine can still give. */
  availableMiB: number;
}

export type MemoryKind = 'strings' | 'objects' | 'buffers';

/** V8 collects ever harder in the last part of its heap and dies before it is quite full. */
const HEAP_SHARE = 0.9;
/** What n8n itself needs meanwhile. */
const RESERVE_MiB = 32;

/** How much more of this kind can be held without danger; `promisedMiB` is what others are making now. */
export function roomMiB(kind: MemoryKind, figures: MemoryFigures, promisedMiB: number): number {
  const outside = figures.availableMiB - RESERVE_MiB - promisedMiB;
  if (kind === 'buffers') return Math.max(0, Math.floor(outside));
  const inside =
    figures.heapLimitMiB * HEAP_SHARE - figures.heapUsedMiB - RESERVE_MiB - promisedMiB;
  return Math.max(0, Math.floor(Math.min(inside, outside)));
}

/** Why it does not fit, with the figures; undefined where it fits. */
export function refusal(
  kind: MemoryKind,
  askedMiB: number,
  figures: MemoryFigures,
  promisedMiB: number,
): string | undefined {
  const room = roomMiB(kind, figures, promisedMiB);
  if (askedMiB <= room) return undefined;
  const whole = (mib: number): string => `${Math.round(mib)} MiB`;
  return (
    `${whole(askedMiB)} of ${kind} do not fit: ${whole(room)} are free for them ` +
    `(heap ${whole(figures.heapUsedMiB)} of ${whole(figures.heapLimitMiB)} used, ` +
    `process ${whole(figures.rssMiB)}, system ${whole(figures.availableMiB)} available, ` +
    `${whole(promisedMiB)} promised to others)`
  );
}
