// The chart, rendered by the pinned Helms. Kubernetes' version is given, because a Helm without one guesses.
import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { labPaths } from '../../../cli/src/lab/paths.ts';

const run = promisify(execFile);
export const chart = join(__dirname, '../../../charts/n8n-tuned');
export const loadChart = join(__dirname, '../../../charts/n8n-load');
export const paths = labPaths();
export const KUBERNETES = '1.33.0';
/** A fifth of the CPU of a Helm goes into collecting garbage, of which a process this short can keep more. */
const LITTLE_COLLECTION = { maxBuffer: 64 << 20, env: { ...process.env, GOGC: '1000' } };

/** What a preset needs of the user, by its file's name: it deploys against nobody's host, with nobody's Secrets. */
const OF_DATABASE = [
  ...[
    'encryptionKey.existingSecret=n8n-encryption-key',
    'database.external.existingSecret=n8n-postgresql',
  ],
  'database.external.host=db.test',
];
const NEEDED: Record<string, string[]> = {
  'large.yaml': [...OF_DATABASE, 'redis.external.host=redis.test'],
  'multi-main.yaml': OF_DATABASE,
};

/** Arguments for a values file of the chart's folders ci and presets. */
export const argumentsFor = (file: string): string[] => [
  ...['-f', join(chart, file)],
  ...(NEEDED[basename(file)] ?? []).flatMap((value) => ['--set', value]),
];

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  [key: string]: unknown;
}

export interface Rendering {
  manifests: Manifest[];
  text: string;
}

/** Arguments after the chart, such as `-f values.yaml` or `--set x=1`. */
export function render(helm: string, args: string[] = []): Promise<Rendering> {
  return renderOf(chart, helm, args);
}

export async function renderOf(source: string, helm: string, args: string[]): Promise<Rendering> {
  const { stdout } = await run(
    helm,
    ['template', 'n8n', source, '--kube-version', KUBERNETES, ...args],
    LITTLE_COLLECTION,
  );
  const manifests = parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
  return { manifests, text: stdout };
}

/** What a tool printed and how it ended; it may fail. */
export async function attempt(
  program: string,
  args: string[],
): Promise<{ code: number; output: string }> {
  try {
    const { stdout, stderr } = await run(program, args, LITTLE_COLLECTION);
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const failed = error as { code?: number; stdout?: string; stderr?: string };
    return { code: failed.code ?? 1, output: `${failed.stdout ?? ''}${failed.stderr ?? ''}` };
  }
}
