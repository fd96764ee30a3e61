// Under what the figures of a page were measured, from the records that it links to.
import * as generator from '../../lab/generate/conditions';

const conditionsIn = (...records: object[]): string => generator.conditionsIn(records);
const conditionsOf = (...paths: string[]): string =>
  generator.conditionsOf(paths.map((path) => `[record](${path})`).join(' '));

const machine = { cpu: 'Intel(R) Xeon(R) Processor', cores: 2, memoryMiB: 24106 };
const run = (profile: object): object => ({
  ...{ startedAt: '2026-11-24T10:00:00.000Z', machine, versions: { n8n: '2.41.1' }, profile },
});
const open = { name: 'load', loop: 'open', ratePerSecond: 10 };

test.each<[string, object[], string]>([
  ['an open loop', [run({ ...open, arrivals: 'even' })], 'even arrivals; '],
  ['a search', [{ ...run(open), arrivals: 'random' }], 'random arrivals; '],
  [
    'both',
    [run({ ...open, arrivals: 'random' }), { arrivals: 'even' }],
    'even and random arrivals; ',
  ],
  ['parts of a record', [{ ...run(open), search: { arrivals: 'random' } }], 'random arrivals; '],
  ['a closed loop', [run({ name: 'closed', loop: 'closed', clients: 8 })], ''],
  ['an open loop that does not say it', [run(open)], ''],
  ['what has the name and is something else', [{ ...run(open), arrivals: [1, 2] }], ''],
])('the arrivals of %s', (_, records, said) => {
  expect(conditionsIn(run({}), ...records)).toBe(
    `2 cores (Intel Xeon); n8n 2.41.1; ${said}2026-11-24`,
  );
});

test('those of records that are kept', () => {
  expect(conditionsOf('studies/arrivals/results.jsonl.gz#record')).toContain(
    'even and random arrivals',
  );
  expect(conditionsOf('studies/closed-loop/results.jsonl.gz#queue/run')).not.toContain('arrivals');
  expect(conditionsOf('studies/kubernetes/results.jsonl.gz#parts/find-queue-process')).toContain(
    'random arrivals',
  );
});
