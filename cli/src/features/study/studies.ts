/** The studies of the kit: a folder each in studies/, with study.yaml and, where it needs code, measure.ts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unknown } from '../../../../loadtests/lib/nearest';
import { parseStudy, type StudyPlan } from './plan';
import type { Study } from './study';
import { Mistake } from '../../ui/exit';

const FILE = 'study.yaml';
const CODE = 'measure.ts';
const ARCHIVE = 'results.jsonl.gz';

export interface NamedStudy {
  name: string;
  plan: StudyPlan;
  /** The archive of its records. */
  archive: string;
  /** The file measure.ts; null if there is none. */
  code: string | null;
}

export function readStudies(folder: string): NamedStudy[] {
  return namesIn(folder).map((name) => readStudy(folder, name));
}

export function findStudy(folder: string, name: string): NamedStudy {
  const names = namesIn(folder);
  if (names.includes(name)) return readStudy(folder, name);
  throw new Mistake(`${unknown('study', name, names)}.`);
}

const namesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, FILE)))
    .sort();

function readStudy(folder: string, name: string): NamedStudy {
  const plan = parseStudy(
    readFileSync(join(folder, name, FILE), 'utf8'),
    `studies/${name}/${FILE}`,
  );
  const code = join(folder, name, CODE);
  return {
    ...{ name, plan, archive: join(folder, name, ARCHIVE) },
    code: existsSync(code) ? code : null,
  };
}

/** A checkout has tsx, which runs TypeScript; the npm package has neither it nor studies. */
const RUNS_TYPESCRIPT = 'tsx/esm/api';

export async function loadCode(file: string): Promise<Study> {
  const { tsImport } = (await import(RUNS_TYPESCRIPT)) as {
    tsImport(url: string, parent: string): Promise<{ default: Study }>;
  };
  const url = pathToFileURL(file).href;
  return (await tsImport(url, url)).default;
}
