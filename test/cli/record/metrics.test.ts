import { METRICS } from '../../../cli/src/record/metrics';

const SUFFIXES = { MiB: /MiB$/, cores: /Cores$/, ms: /Ms$/, share: /Share$/ } as const;
const declared = Object.entries(METRICS);

test('a metric whose unit is not a number of things carries it in its name', () => {
  for (const [name, { unit }] of declared) {
    for (const [suffix, pattern] of Object.entries(SUFFIXES)) {
      expect(`${name}: ${String(pattern.test(name))}`).toBe(`${name}: ${String(unit === suffix)}`);
    }
  }
});

test('each has a title of its own, and says what it measures', () => {
  expect(new Set(declared.map(([, { title }]) => title)).size).toBe(declared.length);
  for (const [, { title, of }] of declared) {
    expect(title).toMatch(/^[A-Z]/);
    expect(of.length).toBeGreaterThan(5);
  }
});

test('shares do not add up over instances', () => {
  for (const [name, { unit, over }] of declared) {
    if (unit === 'share' || unit === 'ms') expect(`${name} ${over}`).toBe(`${name} max`);
  }
});
