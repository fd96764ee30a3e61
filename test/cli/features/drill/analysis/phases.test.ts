import { endedUnderLoad } from '../../../../../cli/src/features/drill/analysis/phases';

test.each([
  ['ended while the load went on', 40_000, true],
  ['ended with the load', 75_000, true],
  ['ended while n8n finished what the load had left', 90_984, false],
  ['never ended', null, false],
])('a fault that %s', (_, overMs, isSeen) => {
  expect(endedUnderLoad({ overMs, endMs: 75_000 })).toBe(isSeen);
});
