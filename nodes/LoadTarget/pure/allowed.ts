import { isAbsolute, join, relative, sep } from 'node:path';

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
