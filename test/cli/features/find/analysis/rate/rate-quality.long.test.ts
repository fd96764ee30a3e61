import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { RateQuality, Row } from './quality';

const file = join(__dirname, '../../../../../../docs/records/rate-quality.json');
const recordOf = (): RateQuality => JSON.parse(readFileSync(file, 'utf8')) as RateQuality;

// Hours of simulated load: a minute of work, more on a busy machine.
jest.setTimeout(900_000);

/** Without LONG=1 the record is judged: `ask.test.ts` asks some of the systems each time. */
const isMeasured = process.env.LONG === '1' || process.env.UPDATE_STUDIES === '1';

function simulate(): RateQuality {
  const scratch = mkdtempSync(join(tmpdir(), 'rate-quality-'));
  try {
    const outfile = join(scratch, 'main.cjs');
    const entryPoints = [join(__dirname, 'main.ts')];
    buildSync({ entryPoints, bundle: true, platform: 'node', outfile });
    return JSON.parse(
      execFileSync(process.execPath, [outfile], { encoding: 'utf8' }),
    ) as RateQuality;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

let now: RateQuality;

beforeAll(() => {
  now = isMeasured ? simulate() : recordOf();
  if (process.env.UPDATE_STUDIES === '1') writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`);
});

const at = (rows: readonly Row[], share: number): Row => {
  const row = rows.find((one) => one.share === share);
  if (row === undefined) throw new Error(`nothing was asked at ${String(share)}`);
  return row;
};

describe('the question whether a rate is sustained', () => {
  test('gets the right answer in 98% of the cases at 0.7 and 1.3 times the capacity', () => {
    const [below, above] = [at(now.known, 0.7), at(now.known, 1.3)];
    expect(below.yes / below.questions).toBeGreaterThanOrEqual(0.98);
    expect(above.no / above.questions).toBeGreaterThanOrEqual(0.98);
  });

  test('is answered within 90 s there, in half of the cases', () => {
    for (const share of [0.7, 1.3]) {
      expect(at(now.known, share).medianSeconds).toBeLessThan(90);
    }
  });

  test('hardly ever gets a wrong answer at 0.9 and 1.1 times the capacity, but NOT YET', () => {
    const [below, above] = [at(now.known, 0.9), at(now.known, 1.1)];
    expect(below.no / below.questions).toBeLessThanOrEqual(0.02);
    expect(above.yes / above.questions).toBeLessThanOrEqual(0.02);
  });

  test('gets no wrong answer there from replayed traces of n8n and from machines whose speed changes', () => {
    for (const rows of [now.replayed, now.drifting]) {
      expect(at(rows, 0.7).no).toBe(0);
      expect(at(rows, 1.3).yes).toBe(0);
    }
  });

  test('is recorded as it is: the committed record is what the code gives', () => {
    expect(recordOf()).toEqual(now);
  });
});
