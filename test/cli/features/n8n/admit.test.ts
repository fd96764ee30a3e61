import { readFileSync } from 'node:fs';
import {
  isAdmitted,
  rowOf,
  type Kit,
  type Read,
} from '../../../../cli/src/features/n8n/analysis/row';
import { admitLines } from '../../../../cli/src/features/n8n/report/terminal';
import { table } from '../../../../cli/src/plan/environment';

const PRELOAD = 'charts/n8n-tuned/files/preload';
const known = (
  JSON.parse(readFileSync(`${PRELOAD}/known.json`, 'utf8')) as {
    functions: Record<string, Record<string, unknown>>;
  }
).functions;

const kit: Kit = {
  patches: [
    { name: 'lazy-character-map', range: '>=2.35.0-0', code: 'sandbox' },
    { name: 'read-once', range: '>=1.29.1-0', code: ['EntityManager.findOne'] },
    { name: 'keep-alive', range: null, code: [] },
  ],
  known: { 'EntityManager.findOne': { aaaa: {} } },
  variables: { DB_PING_TIMEOUT_MS: '>=2.27.3-0', N8N_WEBHOOK_URL: '>=2.30.0-0' },
};
const read: Read = {
  version: '2.39.10',
  functions: { 'EntityManager.findOne': 'aaaa' },
  bundle: { isKnown: false, verdict: { 'lazy-character-map': null } },
  variables: new Set(['DB_PING_TIMEOUT_MS', 'N8N_WEBHOOK_URL']),
};

test('a release in which all code is known or proven is admitted', () => {
  const row = rowOf(read, kit);
  expect(admitLines(row, [])).toEqual([
    'n8n 2.39.10',
    'lazy-character-map  proven',
    'read-once           known',
    'keep-alive          known',
    'variables           as said',
  ]);
  expect(isAdmitted(row)).toBe(true);
});

test.each<[string, Partial<Read>, string]>([
  [
    'another function',
    { functions: { 'EntityManager.findOne': 'bbbb' } },
    'read-once           unknown     EntityManager.findOne is another one (bbbb)',
  ],
  [
    'a function that is gone',
    { functions: {} },
    'read-once           unknown     EntityManager.findOne is not there',
  ],
  [
    'a bundle whose test failed',
    { bundle: { isKnown: false, verdict: { 'lazy-character-map': ['unknown', 'no gain'] } } },
    'lazy-character-map  unknown     no gain',
  ],
  [
    'a bundle that could not be tried',
    { bundle: { isKnown: false, verdict: null } },
    'lazy-character-map  not tried   no n8n with isolated-vm is installed to try it in',
  ],
  [
    'a variable that is gone',
    { variables: new Set(['DB_PING_TIMEOUT_MS']) },
    'variables           otherwise   N8N_WEBHOOK_URL: said to be there, and it is not',
  ],
])('a release with %s is not admitted, and the row says why', (_, changed, line) => {
  const row = rowOf({ ...read, ...changed }, kit);
  expect(admitLines(row, [])).toContain(line);
  expect(isAdmitted(row)).toBe(false);
});

test('what an old release does not need, or does not get, is no reason against it', () => {
  const old = { ...read, version: '1.20.0', bundle: null, functions: {}, variables: null };
  const row = rowOf(old, {
    ...kit,
    patches: [...kit.patches, { name: 'zone-once', range: null, code: 'sandbox' }],
  });
  expect(admitLines(row, [])).toEqual([
    'n8n 1.20.0',
    'lazy-character-map  not loaded  for n8n >=2.35.0',
    'read-once           not loaded  for n8n >=1.29.1',
    'keep-alive          known',
    'zone-once           not needed  expressions have no sandbox',
    'variables           not read',
  ]);
  expect(isAdmitted(row)).toBe(true);
});

test('the functions of each patch are those that known.json has, and that its script looks at', () => {
  const { patches } = table();
  const functionsOf = ({ code = [] }: (typeof patches)[number]) => (code === 'sandbox' ? [] : code);
  expect([...new Set(patches.flatMap(functionsOf))].sort()).toEqual(Object.keys(known).sort());
  const askers = patches.filter(({ name }) =>
    /\bknows\(/.test(readFileSync(`${PRELOAD}/${name}`, 'utf8')),
  );
  expect(askers).toEqual(patches.filter((patch) => functionsOf(patch).length > 0));
});
