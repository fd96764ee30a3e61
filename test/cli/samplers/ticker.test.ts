import { sampler } from '../../../cli/src/samplers/ticker';
import type { Running } from '../../../cli/src/targets/target';
import { eventually, pause } from '../../support/wait';

const running = {} as Running;

function sink(): { events: string[]; sample(): void; event(event: { text: string }): void } {
  const events: string[] = [];
  return {
    events,
    sample: () => undefined,
    event: ({ text }) => {
      events.push(text);
    },
  };
}

test('a tick that fails is told once and the next ones go on', async () => {
  let ticks = 0;
  const failing = sampler('moody', () => ({
    tick: () => {
      ticks += 1;
      if (ticks % 10 !== 0) throw new Error('no mood');
    },
  }));
  const to = sink();
  await failing.start(running, to, 5);
  await eventually(() => ticks >= 8);
  await failing.stop();
  expect(to.events[0]).toBe('sampler moody: no mood');
  // One more after each tenth, which succeeds.
  expect(to.events.length).toBe(1 + Math.floor((ticks - 1) / 10));
});

test('a sampler takes a sample before start() returns and a last one in stop()', async () => {
  let ticks = 0;
  let closed = false;
  const counting = sampler('counting', () => ({
    tick: () => {
      ticks += 1;
    },
    close: () => {
      closed = true;
    },
  }));
  await counting.start(running, sink(), 60_000);
  expect(ticks).toBe(1);
  await counting.stop();
  expect(ticks).toBe(2);
  expect(closed).toBe(true);
  expect(counting.cost().ticks).toBe(2);
});

test('a slow tick is not doubled', async () => {
  let atOnce = 0;
  let max = 0;
  const slow = sampler('slow', () => ({
    tick: async () => {
      atOnce += 1;
      max = Math.max(max, atOnce);
      await pause(30, 'a tick takes longer than the time between two');
      atOnce -= 1;
    },
  }));
  await slow.start(running, sink(), 5);
  await pause(60, 'two ticks would run side by side by then');
  await slow.stop();
  expect(max).toBe(1);
});

test('what is not to be had here is a rejection of start()', async () => {
  const absent = sampler('absent', () => {
    throw new Error('not here');
  });
  await expect(absent.start(running, sink(), 1000)).rejects.toThrow('not here');
});
