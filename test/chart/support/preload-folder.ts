// The scripts that Node.js loads before n8n, and copies of them that know less.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isWithin, table } from '../../../cli/src/plan/environment';
import { N8N_VERSION } from '../../support/versions';
import { chart } from './helm.ts';

export const PRELOAD = join(chart, 'files/preload');

/** What a pod may load by name; the other files there are parts of these. */
export const PATCHES = (): string[] => [
  ...new Set(table().patches.map(({ name }) => name.replace('.cjs', ''))),
];

export const script = (name: string, folder = PRELOAD): string => join(folder, `${name}.cjs`);

/** Whether the chart loads a patch for the n8n that tests run. */
export const isLoaded = (name: string): boolean =>
  table().patches.some(
    (patch) =>
      patch.name === `${name}.cjs` && (patch.n8n === undefined || isWithin(N8N_VERSION, patch.n8n)),
  );

/** `test` of a patch, which is left out with an n8n for which the chart does not load it. */
export const testOf = (name: string): jest.It => (isLoaded(name) ? test : test.skip);
export const describeOf = (name: string, isTried = true): jest.Describe =>
  isTried && isLoaded(name) ? describe : describe.skip;

export interface Known {
  bundles: Record<string, { n8n: string; how: string; on: string }>;
  functions: Record<string, Record<string, { n8n: string; how: string; on: string }>>;
}

export const known = (): Known =>
  JSON.parse(readFileSync(join(PRELOAD, 'known.json'), 'utf8')) as Known;

const copies: string[] = [];
afterAll(() => {
  for (const folder of copies) rmSync(folder, { recursive: true });
});

/** A copy of the folder, which the test may change. */
export function copied(): string {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-preloads-'));
  copies.push(folder);
  cpSync(PRELOAD, folder, { recursive: true });
  return folder;
}

/** A copy that knows no code at all, or not this function. */
export function withoutKnowledge(name?: string): string {
  const folder = copied();
  const { bundles, functions } = known();
  const left = Object.entries(functions).filter(([each]) => name !== undefined && each !== name);
  const less = {
    bundles: name === undefined ? {} : bundles,
    functions: Object.fromEntries(left),
  };
  writeFileSync(join(folder, 'known.json'), JSON.stringify(less));
  return folder;
}
