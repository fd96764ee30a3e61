/** A made-up load of a drill: even arrivals, each answered after the same time, but for what a test changes. */
import type { RequestSample } from '../../../../../cli/src/record/run-record';

export const RATE = 5;
export const PHASES = {
  steady: { fromMs: 2_000, toMs: 15_000 },
  faultMs: 20_000,
  overMs: 20_000,
  endMs: 60_000,
};

export function load(
  change: (request: RequestSample) => Partial<RequestSample> = () => ({}),
): RequestSample[] {
  return Array.from({ length: (RATE * PHASES.endMs) / 1000 }, (_, index) => {
    const request: RequestSample = {
      ...{ tMs: (1000 * index) / RATE, durationMs: 1_000, status: 200, ok: true, errorKind: '' },
      ...{ id: `run-0-${String(index)}`, workload: 'side-effect', ranBy: '' },
    };
    return { ...request, ...change(request) };
  });
}

/** As what dies with a worker: no answer for a long time, then an error. */
export const failed = (durationMs: number): Partial<RequestSample> => ({
  ...{ ok: false, status: 500, errorKind: 'status 500', durationMs },
});
