// What of this repository decides what recovery repeats: scripts of the chart and the code of `n8n-tuned recover`, each by a hash.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';

/** By names of scripts; `recovery` is all of its code. */
export interface Code {
  scripts: Record<string, string>;
  recovery: string;
}

const SCRIPTS = 'charts/n8n-tuned/files/preload';
const RECOVERY = 'cli/src/features/recover';
/** Scripts that have a say in what is lost and what is done twice. */
export const DECISIVE = [
  ...['finish-jobs', 'keep-alive', 'keep-stalled', 'requeue-lost', 'running-work', 'worker-guard'],
];

/** It tells what code does: with another comment or line break it is the same code. */
export function hashOf(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) {
    const { code } = transformSync(text, { loader: 'ts', minifyWhitespace: true });
    hash.update(code).update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const known = new Map<string, Code>();

/** That of the repository in `root`, read once. */
export function codeIn(root: string): Code {
  const found = known.get(root);
  if (found !== undefined) return found;
  const textOf = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
  const code = {
    scripts: Object.fromEntries(
      DECISIVE.map((name) => [name, hashOf([textOf(SCRIPTS, `${name}.cjs`)])]),
    ),
    recovery: hashOf(filesIn(join(root, RECOVERY)).map((file) => readFileSync(file, 'utf8'))),
  };
  known.set(root, code);
  return code;
}

/** Whether both do the same beside recovery. */
export const isSameCode = (one: Code, other: Code): boolean =>
  one.recovery === other.recovery &&
  DECISIVE.every((name) => one.scripts[name] === other.scripts[name]);
