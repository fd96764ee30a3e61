import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Role = 'main' | 'worker' | 'webhook' | 'own';

/** n8n takes its role from the command; a process of EXECUTIONS_PROCESS=own is no command at all. */
export function n8nRole(argv: readonly string[]): Role {
  const [, program = '', command] = argv;
  if (program.includes('WorkflowRunnerProcess')) return 'own';
  return command === 'worker' || command === 'webhook' ? command : 'main';
}

let known: { version: string | undefined } | undefined;

/** The version of the n8n that runs this process, or undefined where no n8n does. */
export function n8nVersion(): string | undefined {
  known ??= { version: readVersion(process.argv[1]) };
  return known.version;
}

/** From the program up to the package it belongs to: n8n has no other mark that all versions share. */
function readVersion(program: string | undefined): string | undefined {
  if (program === undefined) return undefined;
  try {
    let folder = dirname(realpathSync(program));
    for (; folder !== dirname(folder); folder = dirname(folder)) {
      const manifest = readManifest(join(folder, 'package.json'));
      if (manifest?.name === 'n8n') return manifest.version;
    }
  } catch {
    // A program that is not a file (node -e) is not n8n.
  }
  return undefined;
}

function readManifest(path: string): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
