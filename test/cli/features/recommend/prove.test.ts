import type { RunRecord } from '../../../../cli/src/record/run-record';
import { learn, prove, type Proof } from '../../../../cli/src/features/recommend/prove';
import { recommend } from '../../../../cli/src/features/recommend/analysis/recommend';
import { sizingFor, type Sizing } from '../../../../cli/src/features/recommend/analysis/sizing';
import { loaded, queue, regular } from './evidence';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProof } from '../../../../cli/src/features/recommend/record';
import { proofDocument } from '../../../../cli/src/features/recommend/report/document';
import { renderTerminal } from '../../../../cli/src/report/text/terminal';
import { sampleProof } from '../../../support/sample-proof';

const RATE = 40;

/** Proves against a system that answers as `answer` says. */
async function proof(
  evidence: Parameters<typeof prove>[0],
  answer: (sizing: Sizing, attempt: number) => RunRecord,
): Promise<{ result: Proof; tried: Sizing[] }> {
  const tried: Sizing[] = [];
  const result = await prove(evidence, {
    recommend: (all) => recommend(all, RATE),
    load: ({ best }) => {
      tried.push(best);
      const record = answer(best, tried.length);
      return Promise.resolve({ record, run: `proof/${String(tried.length)}` });
    },
    maxAttempts: 4,
  });
  return { result, tried };
}

test('what holds within what it asks for is proven at once', async () => {
  const { result, tried } = await proof([regular(60)], () => loaded('sustained', RATE, 0.5));
  expect(result.verdict).toBe('PROVEN');
  expect(tried).toHaveLength(1);
});

test('what does not hold is refuted, and the next alternative is tried', async () => {
  const { result, tried } = await proof([regular(60), queue(2, 90)], ({ evidence }) =>
    loaded(evidence.topology.mode === 'regular' ? 'not sustained' : 'sustained', RATE, 0.2),
  );
  expect(tried.map(({ evidence }) => evidence.topology.mode)).toEqual(['regular', 'queue']);
  expect(result.verdict).toBe('PROVEN');
  expect(result.attempts.map(({ proven }) => proven)).toEqual([false, true]);
});

test('where nothing is left, it is refuted', async () => {
  const { result, tried } = await proof([regular(60)], () => loaded('not sustained', 20, 1));
  expect(result.verdict).toBe('REFUTED');
  expect(tried).toHaveLength(1);
});

test('workers that were too few become more', async () => {
  const { result, tried } = await proof([queue(2, 60)], ({ workers }) =>
    loaded(workers > 2 ? 'sustained' : 'not sustained', RATE, 0.1),
  );
  expect(result.verdict).toBe('PROVEN');
  expect(tried.map(({ workers }) => workers)).toEqual([2, 4]);
});

test.each(['the peak of one instance', 'the peak of all together'])(
  'what ran out of memory gets more of it, again and again, where %s is known',
  async (known) => {
    const evidence = regular(60);
    if (evidence.at !== null && known === 'the peak of one instance') {
      evidence.at.roles = evidence.at.roles.map((one) => ({
        ...one,
        rssPeakOfOneMiB: one.rssPeakMiB,
      }));
    }
    const { result, tried } = await proof([evidence], ({ roles }) => {
      const memoryMiB = roles[0]?.memoryMiB ?? 0;
      const record = loaded(memoryMiB < 3000 ? 'not sustained' : 'sustained', RATE, 0.2);
      record.topology = {
        ...regular(60).topology,
        main: { ...regular(60).topology.main, memoryMiB },
      };
      record.verdict.limitedBy = {
        limit: { role: 'main', resource: 'memory' },
        evidence: 'killed for want of memory',
      };
      return record;
    });
    expect(result.verdict).toBe('PROVEN');
    expect(tried.map(({ roles }) => roles[0]?.memoryMiB)).toEqual([1024, 1920, 3328]);
  },
);

test('it ends after so many attempts', async () => {
  const many = [1, 2, 3, 4, 5, 6].map((n) => {
    const topology = { ...regular(60).topology, env: { N: String(n) } };
    return regular(60 + n, { source: `search-${String(n)}`, topology });
  });
  const { result } = await proof(many, () => loaded('not sustained', 20, 1));
  expect(result.attempts).toHaveLength(4);
  expect(result.verdict).toBe('REFUTED');
});

test('an SLO that held on borrowed CPU proves nothing: the request grows, and is proven anew', async () => {
  // 60/s took 1.1 cores, so 40/s should take 0.73 and ask for 0.95; it takes more.
  const { result, tried } = await proof([regular(60)], () => loaded('sustained', RATE, 1.2));
  expect(result.attempts[0]?.sentence).toMatch(
    /but main used 1\.2 cores on average, and requests only 0\.95/,
  );
  expect(result.verdict).toBe('PROVEN');
  expect(tried.map(({ roles }) => roles[0]?.cpuMillicores)).toEqual([950, 1500]);
});

test('a generator that was the limit, or an interrupt, proves nothing', async () => {
  const saturated = await proof([regular(60), queue(2, 90)], () => loaded('invalid', RATE, 1));
  expect(saturated.result.verdict).toBe('INVALID');
  expect(saturated.tried).toHaveLength(1);
  const stopped = await proof([regular(60), queue(2, 90)], () => loaded('aborted', RATE, 1));
  expect(stopped.result.verdict).toBe('INVALID');
  expect(stopped.tried).toHaveLength(1);
});

test('a refusal counts for the repeats of a search as well', async () => {
  const repeated = [60, 61, 62].map((rate, i) => regular(rate, { source: `search-${String(i)}` }));
  const { result, tried } = await proof(repeated, () => loaded('not sustained', 20, 1));
  expect(result.verdict).toBe('REFUTED');
  expect(tried).toHaveLength(1);
});

test('what was learnt is about the refuted evidence alone', () => {
  const all = [regular(60), queue(2, 90)];
  const sizing = sizingFor(regular(60), all, RATE);
  if (sizing === null) throw new Error('it has no size');
  const [changed, same] = learn(all, sizing, { record: loaded('not sustained', 20, 1), run: 'x' });
  expect(changed?.capacityPerSecond).toBeLessThan(RATE);
  expect(same).toEqual(all[1]);
});

test('the record of a proof is read as it was written', () => {
  const record = sampleProof();
  const folder = mkdtempSync(join(tmpdir(), 'proof-'));
  try {
    writeFileSync(join(folder, 'proof.json'), JSON.stringify(record));
    expect(readProof(folder)).toEqual(record);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('it keeps every attempt, with its run beneath the proof', () => {
  const { verdict, attempts } = sampleProof();
  expect(verdict).toBe('PROVEN');
  expect(attempts.map(({ run, isProven }) => [run, isProven])).toEqual([
    ['runs/regular', false],
    ['runs/queue', true],
  ]);
});

test('the CPU and memory of a role are compared with what its values ask for', () => {
  const { attempts } = sampleProof();
  expect(attempts.at(-1)?.taken[0]).toMatchObject({
    ...{ role: 'main', usedCores: 0.2, peakMiB: 600, limitMiB: 1024 },
  });
});

test('the terminal says by what margin, what was refuted first, and what an hour costs', () => {
  const record = sampleProof();
  const text = renderTerminal(proofDocument(record), { width: 80, colour: false });
  expect(text).toMatch(/^PROVEN /);
  expect(text).toMatch(/Least margin +margin 33.3%: CPU of main/);
  expect(text).toMatch(/Memory of main +600 MiB, 58.6% of its limit of 1,024 MiB/);
  expect(text).toMatch(/Costs +\S+ an hour for/);
  expect(text).toContain('Refuted before:');
  expect(text.split('\n').every((line) => line.length <= 80)).toBe(true);
});
