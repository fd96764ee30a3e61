/** A few of the simulated systems; rate-quality.long.test.ts asks all of them. */
import truths from '../simulated/truth.json';
import { SYSTEMS } from '../simulated/systems';
import { ask, type Asked } from './ask';

const NAMES = [
  'M/M/1, 25 ms, p95<1000 ms',
  '10 slots of 500 ms, p95<1000 ms',
  '20 ms, 100 ms pause every 200, p95<300 ms',
  '10% of probes stall 2000 ms, 20 ms, p95<500 ms',
  '5x slower for 500, 1 x 10 ms, p95<100 ms',
] as const;

function asked(name: (typeof NAMES)[number], share: number): Asked {
  const system = SYSTEMS.find((one) => one.name === name);
  if (system === undefined) throw new Error(`there is no system ${name}`);
  return ask(system, share * truths[name].fullLength, 7);
}

test.each(NAMES)('at 0.7 times its capacity the answer is YES, and at 1.3 times NO: %s', (name) => {
  expect(asked(name, 0.7).answer).toBe('yes');
  expect(asked(name, 1.3).answer).toBe('no');
});

test('a cold system misses at first, and is asked again when it is warm', () => {
  const { attempts } = asked('5x slower for 500, 1 x 10 ms, p95<100 ms', 0.7);
  expect(attempts.map(({ answer }) => answer)).toEqual(['no', 'yes']);
});
