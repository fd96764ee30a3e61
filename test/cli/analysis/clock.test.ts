import fc from 'fast-check';
import { clockOffset, readDate, type ClockReading } from '../../../cli/src/analysis/clock';

const T0 = 1_700_000_000_000;

test('the true offset lies within what is said of it, whatever the ways there and back take', () => {
  const ways = fc.record({ there: fc.nat(500), back: fc.nat(500), pause: fc.nat(3_000) });
  fc.assert(
    fc.property(
      fc.integer({ min: -100_000, max: 100_000 }),
      fc.constantFrom(0.001, 1000),
      fc.array(ways, { minLength: 1, maxLength: 40 }),
      (ahead, resolutionMs, asked) => {
        let now = T0;
        const readings = asked.map(({ there, back, pause }): ClockReading => {
          const sentMs = now;
          const theirs = sentMs + there + ahead;
          const receivedMs = sentMs + there + back;
          now = receivedMs + pause;
          const shown = resolutionMs < 1 ? theirs : Math.floor(theirs / 1000) * 1000;
          return { sentMs, receivedMs, theirsMs: shown, resolutionMs };
        });
        const offset = clockOffset(readings);
        expect(offset).not.toBeNull();
        const { aheadMs = NaN, uncertainMs = NaN } = offset ?? {};
        expect(Math.abs(aheadMs - ahead)).toBeLessThanOrEqual(uncertainMs + 1e-6);
        const shortest = Math.min(...asked.map(({ there, back }) => there + back));
        expect(uncertainMs).toBeLessThanOrEqual((shortest + resolutionMs) / 2 + 1e-6);
      },
    ),
  );
});

test('a clock of seconds is known far better than a second once the second has changed', () => {
  const ahead = 1_234;
  const readings = Array.from({ length: 50 }, (_, index): ClockReading => {
    const sentMs = T0 + 25 * index;
    const theirs = sentMs + 4 + ahead;
    return {
      ...{ sentMs, receivedMs: sentMs + 8, resolutionMs: 1000 },
      theirsMs: Math.floor(theirs / 1000) * 1000,
    };
  });
  expect(clockOffset(readings)?.uncertainMs).toBeLessThan(20);
});

test('a clock of seconds that moves with the ticks of its kernel is not taken for one that is behind', () => {
  fc.assert(
    fc.property(fc.nat(999), fc.nat(10), fc.integer({ min: 1, max: 30 }), (begin, lag, way) => {
      const readings = Array.from({ length: 50 }, (_, index): ClockReading => {
        const sentMs = T0 + begin + (25 + 2 * way) * index;
        const shown = Math.floor((sentMs + way - lag) / 1000);
        const read = readDate(String(shown));
        return { sentMs, receivedMs: sentMs + 2 * way, theirsMs: NaN, resolutionMs: NaN, ...read };
      });
      const { aheadMs = NaN, uncertainMs = NaN } = clockOffset(readings) ?? {};
      expect(Math.abs(aheadMs)).toBeLessThanOrEqual(uncertainMs);
    }),
  );
});

test('no reading, or readings of a clock that was set in between, say nothing', () => {
  const reading = { sentMs: T0, receivedMs: T0 + 2, theirsMs: T0, resolutionMs: 0.001 };
  expect(clockOffset([])).toBeNull();
  expect(clockOffset([reading, { ...reading, theirsMs: T0 + 5_000 }])).toBeNull();
});

test.each([
  ['1700000000123456789', 1_700_000_000_123.456, 0.001],
  ['1700000000%N', 1_700_000_000_000, 1010],
  ['1700000000N', 1_700_000_000_000, 1010],
  ['1700000000', 1_700_000_000_000, 1010],
])('date says %s', (text, theirsMs, resolutionMs) => {
  const read = readDate(`${text}\n`);
  expect(read?.theirsMs).toBeCloseTo(theirsMs, 2);
  expect(read?.resolutionMs).toBe(resolutionMs);
});

test('what is no date says nothing', () => {
  expect(readDate('sh: date: not found')).toBeNull();
});
