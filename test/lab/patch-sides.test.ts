// What each patch is worth: what is kept of the runs beside the comparison.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as figures from '../../studies/patches/figures';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sides-'));
  for (const [name, p95, waits] of [
    ['slow', 80, [3, 40, 9]],
    ['fast', 20, [1, 2, 3]],
  ] as const) {
    const run = join(folder, name);
    mkdirSync(run);
    const summary = { achieved: { ratePerSecond: 10 }, latencyMs: { p95 } };
    writeFileSync(join(run, 'run.json'), JSON.stringify({ summary, files: { samples: 's.csv' } }));
    const rows = waits.map((ms, i) => `${String(i)},worker,worker-1,dbPoolAcquireMs,${String(ms)}`);
    writeFileSync(join(run, 's.csv'), ['tMs,role,instance,metric,value', ...rows].join('\n'));
  }
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('latency and waits for connections are kept of every valid run', () => {
  const side = (name: string, run: string) => ({
    ...{ name, runs: [run, 'not-there'], values: [1, null] },
  });
  expect(figures.sidesOf({ a: side('without', 'slow'), b: side('with', 'fast') }, folder)).toEqual([
    {
      name: 'without',
      runs: [{ ratePerSecond: 10, p95Ms: 80, acquireMs: { worker: { median: 9, most: 40 } } }],
    },
    {
      name: 'with',
      runs: [{ ratePerSecond: 10, p95Ms: 20, acquireMs: { worker: { median: 2, most: 3 } } }],
    },
  ]);
});
