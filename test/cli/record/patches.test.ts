import { METRICS } from '../../../cli/src/record/metrics';
import {
  inForceText,
  patchesIn,
  patchesInForce,
  patchesText,
  patchStatesOf,
} from '../../../cli/src/record/patches';
import { versionToldIn } from '../../../cli/src/ui/versions';

const gauge = (patch: string, state: string): string =>
  `n8n_tuned_patch_in_force{state="${state}",instance="a",patch="${patch}"} 0`;
const shown = (...lines: string[]): string =>
  ['# TYPE n8n_tuned_patch_in_force gauge', ...lines, ''].join('\n');

const MAIN = shown(gauge('read-once', 'known'), gauge('zone-once', 'waiting'));
const WORKER = shown(gauge('read-once', 'unknown'), gauge('zone-once', 'known'));

test('the state of each patch is read whatever the order of the labels, and no other line', () => {
  expect(patchesIn(`${MAIN}n8n_tuned_patch_in_force_too{patch="no",state="known"} 1\n`)).toEqual({
    ...{ 'read-once': 'known', 'zone-once': 'waiting' },
  });
});

test('two processes of one role have the worse state of each patch, and a state of a later kit is left out', () => {
  const other = shown(gauge('read-once', 'known'), gauge('zone-once', 'half-way'));
  expect(
    patchStatesOf([
      { role: 'worker', text: WORKER },
      { role: 'worker', text: other },
    ]),
  ).toEqual({ worker: { 'read-once': 'unknown', 'zone-once': 'known' } });
});

test('nothing is known of an n8n that shows no patch', () => {
  expect(patchStatesOf([{ role: 'main', text: '# TYPE n8n_up gauge\n' }])).toBeNull();
});

test('a report names the state of each patch, and the role where roles differ', () => {
  const states = patchStatesOf([
    { role: 'main', text: MAIN },
    { role: 'worker', text: WORKER },
  ]);
  expect(patchesText(states ?? {})).toBe(
    'known in main: read-once; known in worker: zone-once; waiting in main: zone-once; unknown in worker: read-once',
  );
  expect(
    patchesText({ main: { 'read-once': 'known', 'zone-once': 'off', 'keep-alive': 'known' } }),
  ).toBe('known: keep-alive, read-once; off: zone-once');
});

test('what is known or proven is in force, and nothing else: what waits for its code changes nothing either', () => {
  expect(
    patchesInForce({
      main: { a: 'known', b: 'proven', c: 'waiting', d: 'off', e: 'unknown' },
      worker: { f: 'failed', g: 'not needed' },
    }),
  ).toEqual(['a', 'b']);
});

test('the version of the n8n that runs is read under any prefix', () => {
  expect(versionToldIn('a 1\nmy_version_info{version="v2.41.1",major="2"} 1\n')).toBe('2.41.1');
  expect(versionToldIn(MAIN)).toBeNull();
  // n8n 1.123 shows that of Node.js first.
  const node = 'n8n_nodejs_version_info{version="v22.1.0",major="22"} 1\n';
  expect(versionToldIn(`${node}n8n_version_info{version="v1.123.81"} 1\n`)).toBe('1.123.81');
});

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

test('the patches in force are counted, by role where some of a role are not', () => {
  const known = { a: 'known', b: 'known', c: 'proven' } as const;
  const waiting = { ...known, b: 'waiting' } as const;
  expect(inForceText({ main: known, worker: known })).toBe('3 of 3 patches in force');
  expect(inForceText({ main: waiting })).toBe('2 of 3 patches in force (1 waiting)');
  expect(inForceText({ main: waiting, worker: known })).toBe(
    'patches in force: 2 of 3 in main (1 waiting), 3 of 3 in worker',
  );
  expect(inForceText({ main: { a: 'known' } })).toBe('1 of 1 patch in force');
  expect(inForceText({ main: { a: 'known', b: 'unknown' } })).toBe('1 of 2 patches in force');
  expect(inForceText({ main: known, webhook: {}, worker: { a: 'off', b: 'known' } })).toBe(
    'patches in force: 3 of 3 in main, 1 of 2 in worker',
  );
});
