// A build that others may read or repeat at the same time: each file is replaced whole.
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Lets `build(folder)` write into a folder of its own and makes `outdir` the same as it, file by file. */
export async function replaceFiles(
  outdir: string,
  build: (folder: string) => Promise<void>,
): Promise<void> {
  // Beside it: a rename replaces a file at once, and paths from it to other files stay the same.
  mkdirSync(outdir, { recursive: true });
  const draft = mkdtempSync(`${outdir}.draft-`);
  try {
    await build(draft);
    const built = filesIn(draft);
    for (const file of built) {
      mkdirSync(dirname(join(outdir, file)), { recursive: true });
      renameSync(join(draft, file), join(outdir, file));
    }
    for (const file of filesIn(outdir).filter((old) => !built.includes(old))) {
      rmSync(join(outdir, file), { force: true });
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
