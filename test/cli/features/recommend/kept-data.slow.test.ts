import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'yaml';
import { parseDataSize } from '../../../../cli/src/plan/quantities';
import { programOf } from '../../../../cli/src/program';
import {
  cannotBeDeleted,
  keptData,
  keptSentence,
  perDay,
  type Keeping,
} from '../../../../cli/src/features/recommend/kept-data';
import { recommend } from '../../../../cli/src/features/recommend/analysis/recommend';
import { valuesYaml } from '../../../../cli/src/features/recommend/values';
import { queue, regular } from './evidence';

const KEEPING: Keeping = { executionsPerDay: 20_000, kibPerExecution: 50, days: 14 };

interface Values {
  executions: { pruning: { maxAgeHours: number; maxCount: number } };
  persistence?: { size: string };
  database: { own?: { persistence: { size: string } } };
}

function valuesFor(evidence: ReturnType<typeof regular>, keeping: Keeping): Values {
  const found = recommend([evidence], 40, undefined);
  if (found === null) throw new Error('nothing is recommended');
  return parse(valuesYaml(found, { keeping })) as Values;
}

const gibIn = (size: string): number => Number(/^(\d+)Gi$/.exec(size)?.[1]);

test('the sentence says what the page about data computes by hand', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/chart/data.md'), 'utf8');
  const sentence = keptSentence(KEEPING);
  expect(sentence).toBe(
    '20,000 executions of 50 KiB per day, kept for 14 days: 280,833 executions, 13.4 GiB of data, about 20.1 GiB on disk',
  );
  const [, executions = '', gib = ''] =
    /= (\d[\d,]+) records, or ([\d.]+) GiB/.exec(page.replaceAll('\n', ' ')) ?? [];
  expect(gib).not.toBe('');
  expect(sentence).toContain(`${executions} executions, ${gib} GiB`);
});

test.each([
  ['regular mode', regular(60), 21, undefined],
  ['queue mode', queue(2, 80), undefined, 21],
])(
  'values for %s keep by age alone, on a volume that is large enough',
  (_, evidence, file, own) => {
    const { executions, persistence, database } = valuesFor(evidence, KEEPING);
    expect(executions.pruning).toEqual({ maxAgeHours: 336, maxCount: 0 });
    expect(persistence && gibIn(persistence.size)).toBe(file);
    expect(database.own && gibIn(database.own.persistence.size)).toBe(own);
  },
);

test('a volume is never smaller than what is kept, and more days never take less', () => {
  const keepings = fc.record({
    executionsPerDay: fc.double({ min: 0.1, max: 1e7, noNaN: true }),
    kibPerExecution: fc.double({ min: 0.01, max: 10_000, noNaN: true }),
    days: fc.double({ min: 0.1, max: 3650, noNaN: true }),
  });
  fc.assert(
    fc.property(keepings, fc.double({ min: 1, max: 10, noNaN: true }), (keeping, times) => {
      const { dataGiB, diskGiB } = keptData(keeping);
      const { persistence, executions } = valuesFor(regular(60), keeping);
      expect(gibIn(persistence?.size ?? '')).toBeGreaterThanOrEqual(diskGiB);
      expect(executions.pruning.maxAgeHours).toBeGreaterThanOrEqual(24 * keeping.days);
      expect(diskGiB).toBeGreaterThanOrEqual(dataGiB);
      const longer = keptData({ ...keeping, days: times * keeping.days });
      expect(longer.executions).toBeGreaterThanOrEqual(keptData(keeping).executions);
    }),
  );
});

test('a size of data is said in Ki or Mi', () => {
  expect(['50Ki', '2Mi', '50KiB', '0.5Ki', '2MB'].map(parseDataSize)).toEqual([
    50,
    2048,
    50,
    0.5,
    2e6 / 1024,
  ]);
  for (const wrong of ['50', '', '0Ki', '-1Ki', '5Gi', 'NaNKi']) {
    expect(() => parseDataSize(wrong)).toThrow(
      /is not an amount of data: use a form such as 50Ki or 2Mi/,
    );
  }
});

describe('executions that n8n cannot delete', () => {
  it.each([
    [8_639_999, true],
    [8_640_000, false],
    [8_640_001, false],
    [1, true],
  ])('%d per day: deleted is %s', (executionsPerDay, can) => {
    expect(cannotBeDeleted(executionsPerDay) === null).toBe(can);
  });

  it('are said with the figures, and with what to do', () => {
    expect(cannotBeDeleted(perDay(400))).toBe(
      '34,560,000 executions per day are too many: n8n deletes fewer than 100 per second, or 8,640,000 per day, so its database would grow without limit. If the rate is a peak, set the number of executions per day with --executions-per-day. If not, divide the load among several releases, each with its own database; docs/chart/data.md shows what else helps.',
    );
  });

  it('are refused by recommend before it searches, and taken where the rate is only a peak', async () => {
    const said = async (...words: string[]): Promise<string> => {
      const slo = ['--slo', 'p95<1s', '--workload', 'last-node'];
      return programOf()
        .parseAsync(['node', 'n8n-tuned', 'recommend', ...slo, ...words])
        .then(
          () => '',
          (error: unknown) => (error as Error).message,
        );
    };
    expect(await said('--rate', '100')).toMatch(/^8,640,000 executions per day are too many/);
    expect(await said('--rate', '99.9')).not.toMatch(/n8n can delete/);
    expect(await said('--rate', '900', '--executions-per-day', '20000')).not.toMatch(
      /n8n can delete/,
    );
  });
});
