/** One name for each concept: what cli/src and loadtests export as a type has a name that no other file exports. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../cli/src/lab/paths';

const ROOT = repositoryRoot();

const sources = ['cli/src', 'loadtests'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.split('/').includes('node_modules'))
    .map((path) => join(folder, path)),
);

/** Declarations as Prettier writes them: what is passed on from another file (`export type { … } from`) is no new name. */
const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:interface|type|class|(?:const )?enum) (\w+)/gm;

/** Interfaces, types, classes and enums that a file exports. */
const typesIn = (text: string): string[] =>
  [...text.matchAll(DECLARATION)].map(([, name = '']) => name);

const files = new Map<string, string[]>();
for (const file of sources) {
  for (const name of typesIn(readFileSync(join(ROOT, file), 'utf8'))) {
    files.set(name, [...(files.get(name) ?? []), file]);
  }
}

test('every kind of type is seen, and nothing that is passed on or not exported', () => {
  const text = `
export interface Plain {}
export type Alias<T> = T | null;
export class Fault extends Error {}
export abstract class Base {}
export enum Level {}
export const enum Bit {}
export type { Passed } from './elsewhere';
export { type Other } from './elsewhere';
export * from './elsewhere';
interface Own {}
export const value = 1;
`;
  expect(typesIn(text)).toEqual(['Plain', 'Alias', 'Fault', 'Base', 'Level', 'Bit']);
  expect(files.size).toBeGreaterThan(500);
});

test('no type is exported under the same name by two files', () => {
  const shared = [...files].filter(([, exporters]) => exporters.length > 1);
  expect(Object.fromEntries(shared)).toEqual({});
});
