import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readPlainFile } from '../linux/plain-file';
import { makeFolder, writeWhole } from './folder';
import { failureText } from './table-file';

export interface FileBeside {
  name: string;
  content: string;
}

/** What of `files` is not there yet: a record without its raw samples must not replace a report that was made of them. */
export const onlyNew = (folder: string, files: readonly FileBeside[]): FileBeside[] =>
  files.filter(({ name }) => !existsSync(join(folder, name)));

/**
 * Writes reports beside a record; they can always be made again, so a failure costs nothing recorded.
 * Returns what could not be written, a sentence each.
 */
export function writeBeside(folder: string, files: readonly FileBeside[]): string[] {
  for (const { name, content } of files) {
    const file = join(folder, name);
    try {
      makeFolder(dirname(file));
      writeWhole(file, content);
    } catch (error) {
      return [failureText(file, error)];
    }
  }
  return [];
}

/** Names what n8n-tuned wrote beneath a folder, a line each; any other file there is somebody's own. */
const WRITTEN_FILE = '.written';

export const listOfWritten = (names: Iterable<string>): FileBeside => ({
  name: WRITTEN_FILE,
  content: [...names].map((name) => `${name}\n`).join(''),
});

export function removeWritten(folder: string): void {
  const list = join(folder, WRITTEN_FILE);
  if (!existsSync(list)) return;
  for (const path of readPlainFile(list).split('\n')) {
    if (path !== '' && !path.split('/').includes('..')) rmSync(join(folder, path), { force: true });
  }
}
