// n8n that stays up between calls of the command, for a study that loads it by a generator of its own.
import { spawnSync } from 'node:child_process';
import type { CallOptions, Measuring } from '../cli/src/features/study/study';

/** What `n8n-tuned up --json` prints. */
export interface Up {
  baseUrl: string;
  versions: Record<string, string>;
  metrics: { role: string; url: string }[];
}

interface UpOptions extends CallOptions {
  name: string;
  words: readonly string[];
}

/** Takes n8n down again whatever happens, an interruption included. */
export async function withN8n<Result>(
  { call }: Pick<Measuring, 'call'>,
  { name, words, ...options }: UpOptions,
  use: (up: Up) => Promise<Result>,
): Promise<Result> {
  const { record } = await call<Up>(['up', '--name', name, ...words], options);
  try {
    return await use(record);
  } finally {
    spawnSync(process.execPath, [process.argv[1] ?? '', 'down', name], { stdio: 'ignore' });
  }
}
