// The command n8n-tuned on the cluster, as a user runs it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inCluster, kubectl, type Outcome } from './cluster';

export const CLI = join(__dirname, '../../cli/dist/cli.js');
export const OURS = 'app.kubernetes.io/managed-by=n8n-tuned';

const PATIENCE_MS = 900_000;

export const n8nTuned = (...args: string[]): Promise<Outcome> =>
  inCluster(['node', CLI, ...args], { timeoutMs: PATIENCE_MS });

/** The last line on standard error, where the command says what went wrong; there is no stack above it. */
export function sentenceOf({ stderr }: Pick<Outcome, 'stderr'>): string {
  expect(stderr).not.toMatch(/^\s+at /m);
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return last.replace(/^n8n-tuned: /, '');
}

/** What calls of it have made and not removed. */
export const ourNamespaces = (): Promise<string> =>
  kubectl(['get', 'namespaces', '-l', OURS, '-o', 'name']);

/** `written` puts a file into it and gives its path; `remove` is for afterAll. */
export function resultsFolder(): {
  path: string;
  written(name: string, text: string): string;
  remove(): void;
} {
  const path = mkdtempSync(join(tmpdir(), 'n8n-tuned-cluster-'));
  return {
    path,
    written: (name, text) => {
      const file = join(path, name);
      writeFileSync(file, text);
      return file;
    },
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
