/** How long a process that has ended by itself waits until it is started again. */

const DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 10_000] as const;
const LONGEST_MS = 10_000;

/**
 * `restarts`: so often it was started again before, since it last ran for long. Kubernetes, too, begins with the first
 * delay again once a container has run for twice the longest one.
 */
export function restartAfter(
  restarts: number,
  ranMs: number,
): { delayMs: number; restarts: number } {
  const counted = ranMs > 2 * LONGEST_MS ? 0 : restarts;
  return { delayMs: DELAYS_MS[counted] ?? LONGEST_MS, restarts: counted + 1 };
}
