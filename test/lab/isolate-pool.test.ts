// How many sandboxes to keep ready: what is made of a run.
import * as figures from '../../studies/isolate-pool/figures';

const RUN = {
  profile: { warmupSeconds: 8 },
  summary: {
    offered: { requests: 100 },
    achieved: { requests: 99 },
    unanswered: { requests: 1 },
    latencyMs: { p50: 10, p95: 20, max: 30 },
    cpuMillisecondsPerRequest: 25,
    roles: [
      { role: 'generator', rssPeakMiB: 50 },
      { role: 'main', rssPeakMiB: 300 },
    ],
  },
};
const figuresOf = (rows: string[]): { coldSandboxes: number | null } =>
  figures.figuresOf(RUN, `${['tMs,role,instance,metric,value', ...rows].join('\n')}\n`);
const cold = (tMs: number, value: number, role = 'main'): string =>
  `${String(tMs)},${role},${role},coldSandboxes,${String(value)}`;

test('sandboxes are counted from the end of the warm-up', () => {
  const rows = [cold(-100, 1), cold(7000, 5), cold(9000, 6), cold(50_000, 9)];
  expect(figuresOf([...rows, cold(60_000, 99, 'worker')])).toEqual({
    ...{ requests: 100, expected: 99, unanswered: 1, p50Ms: 10, p95Ms: 20, maxMs: 30 },
    ...{ cpuMillisecondsPerRequest: 25, memoryMiB: 300, coldSandboxes: 4 },
  });
});

test('without the counter the number is not known', () => {
  expect(figuresOf(['9000,main,main,rssMiB,300'])).toMatchObject({ coldSandboxes: null });
});
