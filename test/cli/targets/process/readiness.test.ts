/** Who takes requests, as a Service with a readiness probe decides it: with processes that are made up. */
import { Readiness } from '../../../../cli/src/targets/process/readiness';
import { pause, until } from '../../../support/wait';

const LOOK_MS = 5;

/** Two of them, on ports 1 and 2, that run and are ready. */
function stage() {
  const pids = new Map<string, number | null>([
    ['main', 10],
    ['webhook-1', 20],
  ]);
  const ready = new Map([
    [1, true],
    [2, true],
  ]);
  const told: number[][] = [];
  const asked: number[] = [];
  /** How many questions there had been when something was told. */
  const askedThen: number[] = [];
  const readiness = new Readiness(
    {
      served: [
        { instance: 'main', port: 1 },
        { instance: 'webhook-1', port: 2 },
      ],
      pidOf: (instance) => pids.get(instance) ?? null,
      isReady: (port) => {
        asked.push(port);
        return Promise.resolve(ready.get(port) === true);
      },
      changed: (away) => {
        told.push([...away]);
        askedThen.push(asked.length);
      },
    },
    LOOK_MS,
  );
  return { pids, ready, told, asked, askedThen, readiness };
}

test('one that has ended takes no requests, and its successor takes them once it is ready', async () => {
  const { pids, ready, told, readiness } = stage();
  ready.set(2, false);
  pids.set('webhook-1', null);
  await until('it is noticed', () => told.length === 1);
  pids.set('webhook-1', 21);
  await pause(20 * LOOK_MS, 'it looks so often, and may tell nothing');
  expect(told).toEqual([[2]]);
  ready.set(2, true);
  await until('it is back', () => told.length === 2);
  readiness.stop();
  expect(told).toEqual([[2], []]);
});

test('one that was replaced between two looks is not taken for ready', async () => {
  const { pids, ready, told, readiness } = stage();
  ready.set(2, false);
  pids.set('webhook-1', 21);
  await until('it is noticed', () => told.length === 1);
  readiness.stop();
  expect(told).toEqual([[2]]);
});

test('one that runs takes requests until it was found not ready three times', async () => {
  const { ready, asked, askedThen, told, readiness } = stage();
  ready.set(1, false);
  await until('it is noticed', () => told.length === 1);
  expect(asked.slice(0, askedThen[0]).filter((port) => port === 1)).toHaveLength(3);
  ready.set(1, true);
  await until('it is back', () => told.length === 2);
  readiness.stop();
  expect(told).toEqual([[1], []]);
});

test('nothing is told where nothing changes, nor after the end', async () => {
  const { pids, asked, told, readiness } = stage();
  await until('both were asked', () => new Set(asked).size === 2);
  readiness.stop();
  pids.set('main', null);
  await pause(10 * LOOK_MS, 'it may look no more');
  expect(told).toEqual([]);
});
