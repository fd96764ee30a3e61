import { mkdir, realpath, statfs } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve, relative, sep } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { Mistake } from '../../shared/mistake';
import { n8nVersion } from '../../shared/n8nProcess';
import type { Call } from '../operations/operation';

/**
 * The folders that n8n lets nodes access, by N8N_RESTRICT_FILE_ACCESS_TO; undefined where any is
 * allowed. n8n 2.0 and later allow `~/.n8n-files` alone where the variable is not set.
 */
export function allowedFolders(
  variable: string | undefined,
  majorVersion: number | undefined,
  home: string,
): string[] | undefined {
  const text = variable ?? ((majorVersion ?? 2) >= 2 ? '~/.n8n-files' : '');
  const folders = text
    .split(';')
    .map((folder) => folder.trim())
    .filter((folder) => folder !== '')
    .map((folder) => (folder.startsWith('~') ? join(home, folder.slice(1)) : folder));
  return folders.length === 0 ? undefined : folders;
}

/** Whether the path is the folder or lies in it; both absolute, without symbolic links. */
export function liesIn(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Left free on the disk, whatever is asked. */
const RESERVE_BYTES = 256 * 1024 * 1024;
const OWN_NAME = 'n8n-load-target';

export const folderProperty: INodeProperties = {
  displayName: 'Folder',
  name: 'folder',
  type: 'string',
  default: '',
  placeholder: 'e.g. /data/load-target',
  description:
    'Absolute path on the machine that runs n8n, within N8N_RESTRICT_FILE_ACCESS_TO. Leave empty for a folder in the temporary folder, or in the first folder that n8n allows.',
};

/** The folder for documents, made if need be, with room for `bytes` more. */
export async function folderWithRoom(call: Call, bytes: number): Promise<string> {
  const folder = await allowedFolder(call);
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw unusable(error);
  }
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize - bytes < RESERVE_BYTES) {
    const free = Math.floor((bavail * bsize) / 1024 / 1024);
    throw new Mistake(
      `${Math.ceil(bytes / 1024 / 1024)} MiB do not fit in ${folder}: ${free} MiB are free, of which 256 are left alone`,
    );
  }
  return folder;
}

async function allowedFolder(call: Call): Promise<string> {
  const allowed = allowedFolders(
    process.env['N8N_RESTRICT_FILE_ACCESS_TO'],
    majorVersion(),
    homedir(),
  );
  const isAllowed = async (path: string): Promise<boolean> => {
    if (await call.isBlockedPath?.(path)) return false;
    if (allowed === undefined) return true;
    const folders = await Promise.all(allowed.map(withoutLinks));
    return folders.some((folder) => liesIn(folder, path));
  };

  const parameter = call.parameter('folder');
  if (parameter === undefined || parameter === '') {
    const candidates = [tmpdir(), ...(allowed ?? [])];
    for (const candidate of candidates) {
      const path = await withoutLinks(join(candidate, OWN_NAME));
      if (await isAllowed(path)) return path;
    }
    throw new Mistake(
      `n8n allows nodes no folder for files: tried ${candidates.join(', ')}`,
      'Add a folder to N8N_RESTRICT_FILE_ACCESS_TO.',
    );
  }
  if (typeof parameter !== 'string' || !isAbsolute(parameter)) {
    throw new Mistake("'Folder' must be an absolute path on the machine that runs n8n, or empty");
  }
  const path = await withoutLinks(parameter);
  if (await isAllowed(path)) return path;
  throw new Mistake(
    `'Folder' is ${parameter}, which n8n does not let nodes access`,
    allowed === undefined
      ? 'Choose a folder that does not contain files of n8n itself.'
      : `N8N_RESTRICT_FILE_ACCESS_TO allows: ${allowed.join(', ')}.`,
  );
}

/** The path as it is without symbolic links; what is not there yet keeps its name. */
async function withoutLinks(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) throw unusable(error);
    return join(await withoutLinks(dirname(absolute)), basename(absolute));
  }
}

function majorVersion(): number | undefined {
  const version = n8nVersion();
  return version === undefined ? undefined : Number(version.split('.')[0]);
}

function unusable(error: unknown): Mistake {
  return new Mistake(
    `'Folder' cannot be used: ${error instanceof Error ? error.message : String(error)}`,
  );
}
