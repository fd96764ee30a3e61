import { compareVersions } from '../../cli/src/ui/versions';
import { rangeOf, sortedVersions } from '../../lab/n8n/ranges';

test('versions are compared by number, and a candidate counts as its release', () => {
  expect(compareVersions('1.10.0', '1.9.9')).toBeGreaterThan(0);
  expect(compareVersions('1.26', '1.26.0')).toBe(0);
  expect(compareVersions('0.9.9', '1.0.0')).toBeLessThan(0);
  expect(compareVersions('2.0.0-rc.1', '2.0.0')).toBe(0);
});

test('releases are put in order, and candidates are left out', () => {
  expect(sortedVersions(['2.10.0', '2.9.1', '2.11.0-rc.1', '1.123.81'])).toEqual([
    ...['1.123.81', '2.9.1', '2.10.0'],
  ]);
});

test('a range begins with the first release that has it and ends with the first that has it no more', () => {
  const read = (text: string): { version: string; has: boolean }[] =>
    text.split(' ').map((word) => ({ version: word.slice(1), has: word.startsWith('+') }));
  expect(rangeOf(read('-1.0.0 +1.123.66 +1.123.81 -2.0.0 +2.16.0 +2.41.1'))).toBe(
    '>=1.123.66-0 <2.0.0-0 || >=2.16.0-0',
  );
  expect(rangeOf(read('+1.0.0 -2.0.0'))).toBe('>=1.0.0-0 <2.0.0-0');
  expect(rangeOf(read('-1.0.0 -2.0.0'))).toBeNull();
});
