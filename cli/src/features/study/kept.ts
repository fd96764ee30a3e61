/** The place of a study's records, and what is kept of the files of a measurement: all but raw samples. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readPlainFile } from '../../linux/plain-file';
import { type Archive, archiveOf, readArchive, writeArchive } from '../../record/archive';
import { writeWhole } from '../../record/folder';
import { listOfWritten, removeWritten } from '../../record/write-beside';
import { claim, type Claim } from '../../targets/kept';
import { Failure, Mistake } from '../../ui/exit';
import { STUDY_FILE } from './record';
import type { Records } from './study';

/** The archive of a study: those whose ids begin with `inside`, by the rest of their ids. `root`: of the repository. */
export function archivedRecords(file: string, root: string, inside = ''): Records {
  const records: Records = {
    read: (id) => readArchive(file).get(`${inside}${id}`)?.record,
    has: (folder) =>
      [...readArchive(file).keys()].some((id) => id.startsWith(`${inside}${folder}/`)),
    write(id, record) {
      const whole = `${inside}${id}`;
      change(file, (archive) => archive.set(whole, { ...archive.get(whole), record }));
    },
    replace(folder, files) {
      const at = `${inside}${folder}/`;
      const added = [...archiveOf(files)].map(([id, entry]) => [`${at}${id}`, entry] as const);
      change(file, (archive) => {
        const others = [...archive].filter(([id]) => !id.startsWith(at));
        return new Map([...others, ...added]);
      });
    },
    take: (from) => {
      records.replace(basename(from), filesKept(from, root));
    },
  };
  return records;
}

const CHANGED_WITHIN_MS = 60_000;

/** Another part of the study may be kept at the same time, by another process: each changes what the one before has written. */
function change(file: string, changed: (archive: Archive) => Archive): void {
  const giveUpMs = performance.now() + CHANGED_WITHIN_MS;
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    const claimed = claimOf(file);
    if (!(claimed instanceof Error)) {
      try {
        writeArchive(file, changed(readArchive(file)));
      } finally {
        claimed.end();
      }
      return;
    }
    if (performance.now() > giveUpMs) throw claimed;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20 + 80 * Math.random());
  }
}

/** An error where another process has it. */
function claimOf(file: string): Claim | Failure {
  try {
    return claim(
      dirname(file),
      basename(file),
      ({ pid }) =>
        new Failure(
          `${file} is being written by process ${String(pid)}: end it, and repeat the command.`,
        ),
    );
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** The same of a folder with a file for each. */
export function recordsInFolder(folder: string, inside = ''): Records {
  const fileOf = (id: string): string => join(folder, `${inside}${id}.json`);
  return {
    read: (id) => (existsSync(fileOf(id)) ? readRecord(fileOf(id)) : undefined),
    has: (name) => existsSync(join(folder, `${inside}${name}`)),
    write(id, record) {
      mkdirSync(dirname(fileOf(id)), { recursive: true });
      writeWhole(fileOf(id), `${JSON.stringify(record, null, 2)}\n`);
    },
    replace(name, files) {
      const at = join(folder, `${inside}${name}`);
      removeWritten(at);
      for (const [path, text] of files) {
        mkdirSync(dirname(join(at, path)), { recursive: true });
        writeFileSync(join(at, path), text);
      }
      mkdirSync(at, { recursive: true });
      const list = listOfWritten(files.keys());
      writeFileSync(join(at, list.name), list.content);
    },
    /** The commands wrote it here. */
    take: () => undefined,
  };
}

function readRecord(file: string): unknown {
  try {
    return JSON.parse(readPlainFile(file)) as unknown;
  } catch {
    throw new Mistake(`${file} is not the record of a study: move it, or choose another --out.`);
  }
}

// No page is kept: n8n-tuned report writes it again from the record.
/** A comparison whose runs are not kept needs these: its plot of slow requests cannot be drawn again. */
export const COMPARISON_FILES = ['compare.json', 'plots/slower.svg'];
/** A run whose samples are not kept needs these. */
export const RUN_FILES = [
  'run.json',
  ...['cpu', 'distribution', 'latency', 'loop-lag', 'memory', 'processes', 'rate'].map(
    (plot) => `plots/${plot}.svg`,
  ),
];

/** Those of the files that are there; `without` is left out of their text. */
export const filesIn = (
  folder: string,
  names: readonly string[],
  without: readonly string[] = [],
): Map<string, string> =>
  new Map(
    names
      .filter((name) => existsSync(join(folder, name)))
      .map((name) => [
        name,
        without.reduce(
          (text, part) => text.replaceAll(part, ''),
          readPlainFile(join(folder, name)),
        ),
      ]),
  );

const RECORD_FILES = [STUDY_FILE, 'sweep.json', 'cell.json', 'run.json'];
/** From samples: only the memory of servers and n8n, by pid, how many processes there are, and the requests of each. */
const SAMPLES =
  /^-?\d+,(server|main|worker|webhook|runner),[^,]*,(rssMiB|processes|webhookRequests),/;
const SAMPLES_HEAD = 'tMs,role,instance,metric,value';

/** What is kept of a folder of sweeps, runs and comparisons. */
function filesKept(folder: string, root: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const [at, file] = [dirname(path), basename(path)];
    const names = RECORD_FILES.includes(file)
      ? [file]
      : file === 'compare.json'
        ? COMPARISON_FILES
        : [];
    // The path of this repository says nothing of what was measured.
    for (const [name, text] of filesIn(join(folder, at), names, [`${root}/`])) {
      files.set(join(at, name), text);
    }
    if (file !== 'samples.csv') continue;
    const kept = readPlainFile(join(folder, path))
      .split('\n')
      .filter((line) => SAMPLES.test(line));
    if (kept.length > 0) files.set(join(at, 'memory.csv'), [SAMPLES_HEAD, ...kept, ''].join('\n'));
  }
  return files;
}
