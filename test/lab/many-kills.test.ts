// The drill of very many requests in which a worker is killed again and again: its plan, and its place on the page.
import { join } from 'node:path';
import { sampleDrill } from '../support/sample-drill';
import { told } from '../support/told';

const root = join(__dirname, '../..');
const plan = join(root, 'studies/many-kills/parts.mjs');
const page = join(root, 'lab/generate/results/many-kills.mjs');

test('sends more than 100 000 requests after its first kill, and keeps what tells of each', () => {
  const [words = []] = told<string[][]>(
    plan,
    `it.PARTS.map((part) => it.commandOf(part, { root: '/here', out: 'out', isShort: false }))`,
  );
  const numberOf = (option: string): number =>
    Number.parseInt(words[words.indexOf(option) + 1] ?? '', 10);
  expect(numberOf('--rate') * (numberOf('--for') + numberOf('--return'))).toBeGreaterThan(100_000);
  expect(numberOf('--every')).toBe(60);
  expect(words).toEqual(expect.arrayContaining(['--recover', 'EXECUTIONS_DATA_PRUNE=false']));
});

test('stands on the page with each other way that a request went', () => {
  const { record } = sampleDrill();
  const drill = {
    ...record,
    fault: { ...record.fault, lastsSeconds: 120, everySeconds: 60 },
    recovery: {
      ...{ ageSeconds: 60, everySeconds: 10, passes: 20, failedPasses: 1, left: {} },
      attempts: { recovered: 8 },
    },
  };
  const ways = [
    {
      ...{ class: 'repeated', executions: 'failed + succeeded', begun: '2', done: '1' },
      ...{ requests: 8, beforeSeconds: 0.4, afterSeconds: null },
    },
  ];
  const text = told<string>(page, 'it.manyKills(input)', [
    { path: 'studies/one.json', doneTwice: 0, drill, ways },
  ]);
  expect(text).toContain('Recovery made 20 passes; 1 more could not ask n8n or Redis.');
  expect(text).toContain('Its retries by outcome: 8 recovered.');
  expect(text).toContain(
    '| executed more than once | 8 | failed + succeeded | 2 times | once | 0.4 s | - |',
  );
  expect(told(page, 'it.manyKills(input)', [])).toBe('');
});
