// The drill of very many requests in which a worker is killed again and again: its plan, and its place on the page.
import { sampleDrill } from '../support/sample-drill';
import * as plan from '../../studies/many-kills/parts';
import { manyKillsText } from '../../lab/generate/studies/drills';

test('the study sends more than 100,000 requests after its first kill, and keeps what tells of each', () => {
  const commands = plan.PARTS.map((part) =>
    plan.commandOf(part, { root: '/here', out: 'out', isShort: false }),
  );
  const sent = commands.map((words) => {
    const numberOf = (option: string): number =>
      Number.parseInt(words[words.indexOf(option) + 1] ?? '', 10);
    expect(numberOf('--every')).toBe(60);
    expect(words).toEqual(expect.arrayContaining(['--recover', 'EXECUTIONS_DATA_PRUNE=false']));
    return numberOf('--rate') * (numberOf('--for') + numberOf('--after'));
  });
  expect(sent.reduce((sum, requests) => sum + requests, 0)).toBeGreaterThan(100_000);
});

test('the study stands on the page with each other way that a request went', () => {
  const { record } = sampleDrill();
  const drill = {
    ...record,
    fault: { ...record.fault, lastsSeconds: 120, everySeconds: 60 },
    recovery: {
      ...{ ageSeconds: 60, everySeconds: 10, passes: 20, failedPasses: 1, left: {} },
      attempts: { recovered: 8 },
    },
  };
  const way = { class: 'repeated', executions: 'failed + succeeded', begun: '2', done: '1' };
  const first = [{ ...way, requests: 8, beforeSeconds: 0.4, afterSeconds: null }];
  const second = [
    { ...way, requests: 5, beforeSeconds: 0.9, afterSeconds: 12 },
    { ...way, done: '2', requests: 1, beforeSeconds: 0.1, afterSeconds: 59 },
  ];
  const text = manyKillsText([
    { path: 'studies/one.json', doneTwice: 0, drill, ways: first },
    { path: 'studies/two.json', doneTwice: 1, drill, ways: second },
  ] as unknown as Parameters<typeof manyKillsText>[0]);
  expect(text).toContain(
    '| executed more than once | 13 | failed + succeeded | 2 times | once | 0.9 s | - |',
  );
  expect(text).toContain(
    '| executed more than once | 1 | failed + succeeded | 2 times | 2 times | 0.1 s | 59 s |',
  );
});
