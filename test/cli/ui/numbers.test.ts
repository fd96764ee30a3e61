import fc from 'fast-check';
import {
  counted,
  duration,
  formatNumber,
  percent,
  perSecond,
  signed,
  times,
  withUnit,
} from '../../../cli/src/ui/numbers';

test.each([
  [1176, '1,176'],
  [1234.5, '1,230'],
  [0.0456, '0.0456'],
  [12.345, '12.3'],
  [0.0000012, '0.0000012'],
  [-0, '0'],
  [Infinity, '-'],
  [NaN, '-'],
])('%p is written as %s', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test('a unit is written as English writes it', () => {
  expect(percent(0.053)).toBe('5.3%');
  expect(perSecond(0.0456)).toBe('0.0456/s');
  expect(signed(0.05, percent)).toBe('+5%');
  expect(signed(-0.05, percent)).toBe('-5%');
  expect(['%', '/s', 'MiB', '', 'ms'].map((unit) => withUnit(1500, unit))).toEqual([
    ...['1,500%', '1,500/s', '1,500 MiB', '1,500', '1.5 s'],
  ]);
});

test.each([
  [0, '0 requests'],
  [1, '1 request'],
  [1.5, '1.5 requests'],
  [1176, '1,176 requests'],
])('%p of something has the noun that belongs to it: %s', (count, text) => {
  expect(counted(count, 'request')).toBe(text);
});

test('what happened once did not happen 1 times', () => {
  expect([1, 2, 1176].map(times)).toEqual(['once', '2 times', '1,176 times']);
});

test('a time is in milliseconds below one second and in seconds from there on', () => {
  expect([24, 999, 999.6, 1000, 2400].map(duration)).toEqual([
    ...['24 ms', '999 ms', '1 s', '1 s', '2.4 s'],
  ]);
});

test('every number is read back to three significant digits', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (value) => {
      const read = Number(formatNumber(value).replaceAll(',', ''));
      const error = Math.abs(read - value);
      expect(error <= 0.005 * Math.abs(value) + 1e-20).toBe(true);
    }),
  );
});
