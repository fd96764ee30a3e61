// The records of studies, each study's in its results.jsonl.gz: read, and kept as soon as they are measured.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled } from '../lab/generate/compiled.mjs';

const { archiveOf, readArchive, writeArchive } = compiled(`export * from './record/archive';`);

/** The records of a study whose ids begin with `inside`, by the rest of their ids. */
export function recordsOf(study, inside = '') {
  const file = join(import.meta.dirname, study, 'results.jsonl.gz');
  return {
    /** Null where there is none. */
    read: (name) => readArchive(file).get(`${inside}${name}`)?.record ?? null,
    write(name, record) {
      const archive = readArchive(file);
      const id = `${inside}${name}`;
      writeArchive(file, archive.set(id, { ...archive.get(id), record }));
    },
    /** Puts files, by their paths, in the place of all records at or beneath `folder` that `isReplaced`. */
    replace(folder, files, isReplaced = () => true) {
      const at = `${inside}${folder}`;
      const others = [...readArchive(file)].filter(
        ([id]) => !id.startsWith(at) || !isReplaced(id.slice(at.length)),
      );
      const added = [...archiveOf(files)].map(([id, entry]) => [`${at}${id}`, entry]);
      writeArchive(file, new Map([...others, ...added]));
    },
  };
}

/** The same of a folder with a file for each. */
export function recordsIn(folder) {
  const fileOf = (name) => join(folder, `${name}.json`);
  return {
    read: (name) =>
      existsSync(fileOf(name)) ? JSON.parse(readFileSync(fileOf(name), 'utf8')) : null,
    write(name, record) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(fileOf(name), `${JSON.stringify(record, null, 2)}\n`);
    },
  };
}

/** The files of a folder that are kept, those that are there: in their text `without` is left out. */
export const filesIn = (folder, names, without = []) =>
  new Map(
    names
      .filter((name) => existsSync(join(folder, name)))
      .map((name) => [
        name,
        without.reduce(
          (text, part) => text.replaceAll(part, ''),
          readFileSync(join(folder, name), 'utf8'),
        ),
      ]),
  );

/** What is kept of a comparison whose runs are not: its plot of slow requests cannot be drawn again. */
export const COMPARISON_FILES = ['compare.json', 'report.md', 'plots/slower.svg'];
/** What is kept of a run whose samples are not. */
export const RUN_FILES = [
  ...['run.json', 'report.md'],
  ...['cpu', 'distribution', 'latency', 'loop-lag', 'memory', 'processes', 'rate'].map(
    (plot) => `plots/${plot}.svg`,
  ),
];
