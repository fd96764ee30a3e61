import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { readArchive, writeArchive } from '../../../../../cli/src/record/archive';
import type { Quality } from './simulated/quality';
import { REPLAYED, SYSTEMS, UNSTEADY } from './simulated/systems';
import { equallyGood } from './simulated/table';
import { mmcTail, steadyCapacity } from './simulated/truth';
import truths from './simulated/truth.json';

const folder = join(__dirname, '../../../../../studies/search-quality');
const archive = join(folder, 'results.jsonl.gz');

// Minutes of simulated load: some seconds of work, more on a busy machine.
jest.setTimeout(600_000);

const isRecorded = process.env.UPDATE_STUDIES === '1';
/** Most of the work is that of the procedure to compare with, which changes with the simulation alone. */
const isWhole = isRecorded || process.env.LONG === '1';

const recordOf = (): Quality => readArchive(archive).get('record')?.record as Quality;

let now: Quality;
let again: Simulated['again'];

interface Simulated {
  quality: Quality;
  again: { name: string; capacity: number }[];
}

function simulate(): Simulated {
  const scratch = mkdtempSync(join(tmpdir(), 'search-quality-'));
  try {
    const outfile = join(scratch, 'main.cjs');
    buildSync({
      entryPoints: [join(__dirname, 'simulated/main.ts')],
      bundle: true,
      platform: 'node',
      outfile,
    });
    const args = [outfile, ...(isWhole ? ['whole'] : [])];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Simulated;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

beforeAll(() => {
  ({ quality: now, again } = simulate());
  if (!isWhole) now = { ...now, peer: withRecorded(now.peer) };
  if (isRecorded) writeArchive(archive, new Map([['record', { record: now }]]));
});

/** What is recorded of those lengths that were not simulated now. */
function withRecorded(peer: Quality['peer']): Quality['peer'] {
  const { peer: recorded } = recordOf();
  return recorded.map(
    (row) => peer.find(({ probeSeconds }) => probeSeconds === row.probeSeconds) ?? row,
  );
}

describe('the search on simulated systems', () => {
  test('is judged on at least 40 of them, of every kind', () => {
    expect(now.rows.length).toBeGreaterThanOrEqual(40);
    expect([...new Set(now.rows.map(({ family }) => family))].sort()).toEqual([
      'M/D/c',
      'M/M/c',
      'collapse',
      'disturbed machine',
      'event loop with GC',
      'fixed slots',
      'heavy tail',
      'leak',
      'noise',
      'warm-up',
    ]);
  });

  test('has a median error under 3%', () => {
    expect(now.ours.medianError).toBeLessThan(0.03);
  });

  test('is within 6% in 95% of the cases', () => {
    expect(now.ours.p95Error).toBeLessThan(0.06);
  });

  test('is never more than 12% above the true capacity', () => {
    expect(now.ours.maxAbove).toBeLessThanOrEqual(0.12);
  });

  test('states intervals that contain the true capacity in 95% of the cases', () => {
    expect(now.ours.coverage).toBeGreaterThanOrEqual(0.95);
  });

  test.each([
    [100, 0.2],
    [300, 0.053],
  ])('keeps its promises under a budget of %p s too: 95%% within %p', (seconds, p95Error) => {
    const score = now.budgeted.find(({ budgetSeconds }) => budgetSeconds === seconds);
    expect(score?.p95Error).toBeLessThanOrEqual(p95Error);
    expect(score?.coverage).toBeGreaterThanOrEqual(0.95);
    expect(score?.meanSeconds).toBeLessThanOrEqual(seconds);
  });

  test.each([
    [100, 0.02],
    [300, 0.01],
  ])('has in %p s a wrong conclusive answer in at most %p of the cases', (seconds, max) => {
    const score = now.budgeted.find(({ budgetSeconds }) => budgetSeconds === seconds);
    expect(score?.wrong).toBeLessThanOrEqual(max);
  });

  test('takes fewer probe-seconds than doubling and bisection of equal accuracy', () => {
    const equal = equallyGood(now) ?? now.peer.at(-1);
    expect(now.ours.meanSeconds).toBeLessThan(equal?.meanSeconds ?? 0);
  });

  test('states such intervals under rare stalls too, wherever a search has met one', () => {
    const { ours, budgeted } = now.stalling;
    for (const { sawStalls, missedAfterStalls, wrong } of [ours, ...budgeted]) {
      expect(missedAfterStalls / sawStalls).toBeLessThanOrEqual(0.05);
      expect(wrong).toBeLessThanOrEqual(0.02);
    }
    // 100 s are too short to meet one for certain.
    for (const { coverage } of [ours, ...budgeted.filter((score) => score.budgetSeconds >= 300)]) {
      expect(coverage).toBeGreaterThanOrEqual(0.95);
    }
  });

  test('is within 25% on the traces of a real n8n, without a budget', () => {
    const errors = now.replayed.rows.flatMap((row) => row.errors);
    expect(errors.filter((error) => Math.abs(error) > 0.25)).toEqual([]);
  });

  test('is recorded as it is: the committed record is what the code gives', () => {
    expect(recordOf()).toEqual(now);
  });
});

describe('the true capacities', () => {
  const known: Record<string, { fullLength: number; steady: number | null }> = truths;

  test('are known of every system', () => {
    expect(Object.keys(known).sort()).toEqual(
      [...SYSTEMS, ...REPLAYED, ...UNSTEADY].map(({ name }) => name).sort(),
    );
  });

  test('of M/M/c are the closed form, and what 60 s can see lies a little above it', () => {
    // M/M/1: time in system is exponential with rate mu - lambda.
    expect(mmcTail(1, 0.01, 85, 0.2)).toBeCloseTo(Math.exp(-15 * 0.2), 12);
    for (const system of SYSTEMS.filter(({ family }) => family === 'M/M/c')) {
      const { fullLength, steady } = known[system.name] ?? { fullLength: 0, steady: 0 };
      expect(steady).toBeCloseTo(steadyCapacity(system, 0) ?? 0, 1);
      expect(fullLength / (steady ?? 0)).toBeGreaterThan(0.995);
      expect(fullLength / (steady ?? 0)).toBeLessThan(1.045);
    }
  });

  test('of systems of three other families come out again', () => {
    expect(again).toHaveLength(3);
    for (const { name, capacity } of again) {
      expect(Math.abs(capacity / (known[name]?.fullLength ?? 0) - 1)).toBeLessThan(0.02);
    }
  });
});
