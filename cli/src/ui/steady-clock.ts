/** The time of day, in milliseconds, as it goes on from this moment: a correction of the time does not move it. */
export function steadyClock(): () => number {
  const zeroMs = Date.now() - performance.now();
  return () => zeroMs + performance.now();
}
