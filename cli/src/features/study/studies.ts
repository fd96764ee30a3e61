/** The studies of the kit: a folder each in studies/, with study.yaml, and records in results/ once they were kept. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseStudy, type NamedStudy } from './plan';
import { Mistake } from '../../ui/exit';

const FILE = 'study.yaml';

export function readStudies(folder: string): NamedStudy[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, FILE)))
    .sort()
    .map((name) => readStudy(folder, name));
}

export function findStudy(folder: string, name: string): NamedStudy {
  const names = readdirSync(folder).filter((one) => existsSync(join(folder, one, FILE)));
  if (names.includes(name)) return readStudy(folder, name);
  throw new Mistake(`there is no study '${name}': choose one of ${names.sort().join(', ')}.`);
}

function readStudy(folder: string, name: string): NamedStudy {
  const file = join(folder, name, FILE);
  const study = parseStudy(readFileSync(file, 'utf8'), `studies/${name}/${FILE}`);
  return { name, ...study, kept: keptOf(join(folder, name, 'results')) };
}

function keptOf(results: string): NamedStudy['kept'] {
  const names = existsSync(results) ? readdirSync(results) : [];
  if (names.some((name) => name !== 'quick')) return 'full';
  return names.length > 0 ? 'quick' : 'none';
}
