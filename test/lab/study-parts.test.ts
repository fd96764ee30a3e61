// Plans of studies of many parts, what is made of their runs, and the proxy that delays.
import { sampleDrill } from '../support/sample-drill';
import * as plan from '../../studies/many-kills/parts';
import { manyKillsText } from '../../lab/generate/studies/drills';
import * as parts from '../../studies/cluster-loop/reload-parts';
import { join } from 'node:path';
import { eventually, pause } from '../support/wait';

test('the study sends more than 100,000 requests after its first kill, and keeps what tells of each', () => {
  const commands = plan.PARTS.map((part) =>
    plan.commandOf(part, { root: '/here', out: 'out', isShort: false }),
  );
  const sent = commands.map((words) => {
    const numberOf = (option: string): number =>
      Number.parseInt(words[words.indexOf(option) + 1] ?? '', 10);
    expect([60, 75]).toContain(numberOf('--every'));
    expect(words).toEqual(expect.arrayContaining(['--recover', 'EXECUTIONS_DATA_PRUNE=false']));
    return numberOf('--rate') * (numberOf('--for') + numberOf('--after'));
  });
  const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
  expect(sumOf(sent.slice(0, 2))).toBeGreaterThan(100_000);
  // With 60 kills and 20 restarts of PostgreSQL.
  expect(sumOf(sent.slice(2))).toBeGreaterThan(100_000);
  expect(
    plan.PARTS.slice(2).map((part) => [part.fault, part.lastsSeconds / part.everySeconds]),
  ).toEqual([
    ['kill-worker+restart-postgres', 20],
    ['kill-worker', 40],
  ]);
});

test('the page adds up what several drills lost and did twice', () => {
  const { record } = sampleDrill();
  const drill = {
    ...record,
    fault: { ...record.fault, lastsSeconds: 120, everySeconds: 60 },
    recovery: {
      ...{ ageSeconds: 60, everySeconds: 10, passes: 20, failedPasses: 1, left: {} },
      attempts: { recovered: 8 },
    },
  };
  const text = manyKillsText([
    { path: 'studies/one.json', doneTwice: 0, drill },
    { path: 'studies/two.json', doneTwice: 1, drill },
  ] as unknown as Parameters<typeof manyKillsText>[0]);
  const { lost, exposed } = record.ledger;
  expect(text).toContain(
    `| lost, of those exposed | ${String(2 * lost)} of ${String(2 * exposed)}`,
  );
  expect(text).toContain('| retried | 16 |\n| repeated though finished, at most | 1 |');
});

// What a reload costs: where each request of a run went, and what is asked of the command.
const HEAD = 'tMs,durationMs,status,ok,errorKind,id';
const row = (tMs: number, durationMs: number, kind = ''): string =>
  [tMs, durationMs, kind === '' ? 200 : 0, kind === '', kind, 'a'].join(',');
const ledgerOf = (rows: string[], reloads: parts.Reload[]): parts.Ledger =>
  parts.ledgerOf(`${[HEAD, ...rows].join('\n')}\n`, reloads);

test('every request is in the ledger once, a failure by its kind', () => {
  const rows = [row(0, 5), row(10, 5, 'reset'), row(20, 5, 'refused'), row(30, 5, 'reset')];
  const { sent, expected, failures } = ledgerOf(rows, []);
  expect({ sent, expected, failures }).toEqual({
    ...{ sent: 4, expected: 1 },
    failures: { reset: 2, refused: 1 },
  });
});

test('a failure counts as one of a reload when its request was open meanwhile, or soon after', () => {
  const reloads = [{ beganMs: 100, endedMs: 200 }];
  expect(ledgerOf([row(90, 20, 'reset'), row(1100, 5, 'refused')], reloads).away).toBe(0);
  expect(ledgerOf([row(50, 20, 'reset'), row(1300, 5, 'refused')], reloads).away).toBe(2);
});

describe.each(['full', 'quick'] as const)('the runs of %s', (length) => {
  const load = parts.LOAD[length];
  const runs = parts.runsOf(length);
  const commands = runs.map((way) => parts.commandOf(way, load, 'out'));

  test('are named once each, and begin every reload while there is load', () => {
    const names = runs.map(({ name, repeat }) => `${name} ${String(repeat)}`);
    expect(new Set(names).size).toBe(names.length);
    expect(Math.max(...load.reloadsAtSeconds)).toBeLessThan(load.durationSeconds);
  });

  test('send what an HTTP client does not send again by itself', () => {
    for (const words of commands) expect(words).toContainEqual(expect.stringMatching(/^POST \//));
  });

  test('tell the server how to leave where it has to do anything', () => {
    for (const [index, { leaves }] of runs.entries()) {
      const says = commands[index]?.includes(`LEAVES=${leaves}`);
      expect(says).toBe(leaves !== 'at once');
    }
  });
});

// The delay of the studies' proxies: never early, in order, and fractions of a millisecond count.
let later: (work: () => void, delayMs: number) => void;
beforeAll(async () => {
  ({ later } = (await import(join(__dirname, '../../studies/later.cjs'))) as {
    later: typeof later;
  });
});

test('without a delay, work is done at once', () => {
  let isDone = false;
  later(() => (isDone = true), 0);
  expect(isDone).toBe(true);
});

test.each([0.5, 1, 3])(
  'work is done in the order in which it was asked for, never early: %d ms',
  async (delayMs) => {
    const done: { n: number; afterMs: number }[] = [];
    for (let n = 0; n < 50; n += 1) {
      const askedMs = performance.now();
      later(() => done.push({ n, afterMs: performance.now() - askedMs }), delayMs);
      if (n % 10 === 0) await pause(2, 'some are asked for later than others');
    }
    await eventually(() => done.length >= 50);
    expect(done.map(({ n }) => n)).toEqual([...Array(50).keys()]);
    expect(Math.min(...done.map(({ afterMs }) => afterMs))).toBeGreaterThanOrEqual(delayMs);
  },
);

test('of different delays, the shorter one is done first', async () => {
  const done: number[] = [];
  for (const delayMs of [30, 20, 10, 20]) later(() => done.push(delayMs), delayMs);
  await eventually(() => done.length >= 4);
  expect(done).toEqual([10, 20, 20, 30]);
});
