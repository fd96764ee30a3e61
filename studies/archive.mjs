// The records of studies, each study's in its results.jsonl.gz: read, and kept as soon as they are measured.
import { join } from 'node:path';
import { compiled } from '../lab/generate/compiled.mjs';

const { readArchive, writeArchive } = compiled(`export * from './record/archive';`);

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
  };
}
