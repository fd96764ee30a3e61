// How much the machine had to do while a part was watched.
import { loadavg } from 'node:os';

const LOOK_EVERY_MS = 15_000;

export function watchLoadAverage() {
  const seen = [loadavg()[0]];
  const timer = setInterval(() => seen.push(loadavg()[0]), LOOK_EVERY_MS).unref();
  return {
    stop: () => clearInterval(timer),
    figures() {
      const sorted = [...seen].sort((a, b) => a - b);
      return { median: sorted[Math.floor(sorted.length / 2)], most: sorted.at(-1) };
    },
  };
}
