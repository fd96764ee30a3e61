// The pool of database connections: what the page says of the cells that were measured.
import { conditionText } from '../../lab/generate/studies/database';

const cell = (poolSize: number, more: object = {}): object => ({
  ...{ poolSize, concurrency: 10, ratePerSecond: 20, isControl: false },
  ...{ requests: 1800, expected: 1800, status503: 0, errors: {}, unanswered: 0, p95Ms: 100 },
  ...{ acquireMs: { worker: { most: 5 } }, waiting: {}, pingsFailed: 0, ...more },
});
const broken = {
  ...{ expected: 445, status503: 296, unanswered: 4, pingsFailed: 3 },
  errors: { 'status 503': 296, 'status 500': 695, timeout: 240, unanswered: 4 },
};
const partOf = (cells: object[]): string =>
  conditionText({
    ...{ path: 'a.json', roundTripMs: 10, pingTimeoutMs: 5000, cells },
  } as Parameters<typeof conditionText>[0]);

test('a row adds up what its requests got', () => {
  const text = partOf([cell(2, broken), cell(4)]);
  expect(text).toContain('| expected responses | status 503 | all errors | p95 |');
  expect(text).toContain('| 2 | 1800 | 445 | 296 | 1235 | 100 ms |');
  expect(text).toContain('| 4 | 1800 | 1800 | 0 | 0 | 100 ms |');
});

test('the page says from which pool on nothing was wrong', () => {
  const late = cell(4, { expected: 990 });
  const clean = (text: string): string => text.replace(/\s+/g, ' ');
  expect(clean(partOf([cell(2, broken), late, cell(10), cell(20)]))).toContain(
    'Pools of 2, 4, 10, 20 were tried. No status 503: from a pool of 4 on. No error of any kind: from a pool of 4 on. Every expected response within the measured time: from a pool of 10 on.',
  );
  expect(clean(partOf([cell(2), cell(4, broken)]))).toContain(
    'No status 503: not even with the largest pool.',
  );
  expect(clean(partOf([cell(2), cell(4)]))).toContain('No error of any kind: with every pool.');
});

test('a pool with which n8n did not live is not one with which nothing was wrong', () => {
  const dead = cell(2, { requests: 0, expected: 0, p95Ms: null });
  expect(partOf([dead, cell(4)])).toContain('No status 503: from a pool of 4 on.');
});
