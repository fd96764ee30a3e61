/**
 * The records of a study in one file: compressed JSON lines in the order of their ids. The id of a record is the path
 * that it has as a file, without `.json`: `cells/001/run` is run.json in the folder cells/001 of what was measured.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { readPlainBytes } from '../linux/plain-file';
import { messageOf, Mistake } from '../ui/exit';
import { makeFolder, writeWhole } from './folder';

/** A path that stays in the folder it is unpacked to. */
const pathSchema = z.string().regex(/^(?!\.)[\w.-]+(\/(?!\.)[\w.-]+)*$/);
const entrySchema = z.object({
  id: pathSchema,
  record: z.unknown(),
  /** Tables and texts beside the record, by their paths. */
  files: z.record(pathSchema, z.string()).optional(),
});

export interface ArchivedRecord {
  record: unknown;
  files?: Record<string, string> | undefined;
}

export type Archive = Map<string, ArchivedRecord>;

/** Empty where there is no such file yet. */
export const readArchive = (file: string): Archive =>
  existsSync(file) ? existingArchive(file) : new Map();

function existingArchive(file: string): Archive {
  try {
    const lines = gunzipSync(readPlainBytes(file)).toString('utf8').split('\n');
    return new Map(
      lines
        .filter((line) => line !== '')
        .map((line) => entrySchema.parse(JSON.parse(line)))
        .map(({ id, ...entry }) => [id, entry]),
    );
  } catch (error) {
    const why = error instanceof z.ZodError ? 'one of its lines is not a record' : messageOf(error);
    throw new Mistake(`${file} cannot be read as an archive of records: ${why}; restore it.`);
  }
}

const inOrder = (files: ArchivedRecord['files']): ArchivedRecord['files'] =>
  files && Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The byte of a gzip header that names the operating system: 255 is "unknown". */
const SYSTEM_BYTE = 9;

/** The same records give the same bytes. */
export function writeArchive(file: string, archive: Archive): void {
  const lines = [...archive]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { record, files }]) => `${JSON.stringify({ id, record, files: inOrder(files) })}\n`);
  const bytes = gzipSync(lines.join(''), { level: 9 });
  bytes[SYSTEM_BYTE] = 255;
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${String(process.pid)}`;
  writeFileSync(draft, bytes);
  renameSync(draft, file);
}

/** The same records as files: their paths and what is in them. */
export const filesOf = (archive: Archive): Map<string, string> =>
  new Map(
    [...archive].flatMap(([id, { record, files = {} }]) => [
      [`${id}.json`, `${JSON.stringify(record, null, 2)}\n`] as const,
      ...Object.entries(files).map(([name, text]) => [join(dirname(id), name), text] as const),
    ]),
  );

/** Records that tables and reports beside them are of, before any other of their folder. */
const WITH_TABLES = ['run', 'compare'];

/** The same the other way round: what is no record goes with one of its folder, or of the folder above. */
export function archiveOf(files: ReadonlyMap<string, string>): Archive {
  const archive: Archive = new Map();
  for (const [path, text] of files) {
    if (path.endsWith('.json')) archive.set(path.slice(0, -5), { record: JSON.parse(text) });
  }
  for (const [path, text] of files) {
    if (path.endsWith('.json')) continue;
    const folders = [dirname(path), dirname(dirname(path))];
    const beside = folders.flatMap((folder) =>
      [...archive.keys()].filter((id) => dirname(id) === folder).sort(),
    );
    const id = beside.find((one) => WITH_TABLES.includes(basename(one))) ?? beside[0];
    const entry = id === undefined ? undefined : archive.get(id);
    if (id === undefined || entry === undefined)
      throw new Error(`there is no record next to ${path}`);
    (entry.files ??= {})[relative(dirname(id), path)] = text;
  }
  return archive;
}

const ARCHIVED = /^(.+\.jsonl\.gz)(?:#(.*))?$/;

export interface NamedArchive {
  file: string;
  archive: Archive;
  /** The id of the record that is named, whose archive then has it; null if the whole archive is named. */
  id: string | null;
}

/** The archive that a user names, like results.jsonl.gz#cells/001/run; null where something else is named. */
export function namedArchive(text: string): NamedArchive | null {
  const [, file, fragment = ''] = ARCHIVED.exec(text) ?? [];
  if (file === undefined) return null;
  const archive = existingArchive(file);
  const id = fragment === '' ? null : fragment;
  if (id !== null && !archive.has(id)) {
    throw new Mistake(`${file} has no record ${id}: n8n-tuned report ${file} lists its records.`);
  }
  return { file, archive, id };
}

/** Writes the records whose ids begin with `inside` as files, unless a file that is not of the same record is in the way. */
export function unpack(archive: Archive, inside: string, to: string): void {
  const files: [path: string, text: string][] = [];
  for (const [id, entry] of archive) {
    const own = [...filesOf(new Map([[id, entry]]))].filter(([path]) => path.startsWith(inside));
    files.push(...own);
    const [record] = own;
    // Its report may have been made there before, which replaces tables and texts.
    if (record !== undefined && holds(join(to, record[0]), record[1])) continue;
    const foreign = own.map(([path]) => join(to, path)).find(isThere);
    if (foreign === undefined) continue;
    throw new Mistake(`${foreign} already exists and belongs to another record: move it.`);
  }
  for (const [path, text] of files) {
    makeFolder(dirname(join(to, path)));
    writeWhole(join(to, path), text);
  }
}

/** A link is there even if it leads nowhere. */
const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;

const holds = (file: string, text: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isFile() === true &&
  readPlainBytes(file).equals(Buffer.from(text));

/** The folder that the named record is, with all that belongs to it, beneath `to`; `to` where the whole archive is named. */
export function unpackNamed({ archive, id }: NamedArchive, to: string): string {
  const folder = id === null ? '.' : dirname(id);
  unpack(archive, folder === '.' ? '' : `${folder}/`, to);
  return join(to, folder);
}

/** Reads folders of records as the user names them. What lies in an archive is a folder for as long as `read` takes. */
export function readRecordFolders<Content>(
  named: readonly string[],
  read: (folders: string[]) => Content,
): Content {
  const unpacked: string[] = [];
  const folderOf = (text: string): string => {
    const archive = namedArchive(text);
    if (archive === null) return text;
    const to = mkdtempSync(join(tmpdir(), 'n8n-tuned-records-'));
    unpacked.push(to);
    return unpackNamed(archive, to);
  };
  try {
    return read(named.map(folderOf));
  } finally {
    for (const folder of unpacked) rmSync(folder, { recursive: true, force: true });
  }
}
