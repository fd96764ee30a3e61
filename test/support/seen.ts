// Figures that a test saw, kept where N8N_TUNED_SEEN names a file: docs/records/chart-on-cluster.json.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readVersions } from '../../cli/src/lab/paths';
import { pause } from './wait';

type Figures = Record<string, number | string | boolean | object>;

export function seen(topic: string, figures: Figures): void {
  const file = process.env['N8N_TUNED_SEEN'];
  if (file === undefined) return;
  const before = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Figures>)
    : {};
  const versions = readVersions();
  before[topic] = {
    at: new Date().toISOString(),
    // A test of another n8n says so itself.
    n8n: versions['N8N_VERSION'] ?? '',
    kubernetes: versions['K8S_VERSION'] ?? '',
    ...figures,
  };
  writeFileSync(file, `${JSON.stringify(before, null, 2)}\n`);
}

/** Each value that was seen while something was done. */
export async function seenWhile<T>(
  look: () => Promise<T>,
  what: () => Promise<unknown>,
): Promise<T[]> {
  const values = new Set<T>();
  let isDone = false;
  const watch = (async () => {
    while (!isDone) {
      values.add(await look());
      await pause(250, 'the pace at which it looks');
    }
  })();
  await Promise.all([what().finally(() => (isDone = true)), watch]);
  return [...values];
}

/** The steps of a sequence in a record: after how many seconds each was through, and what was seen then. */
export class Sequence {
  readonly steps: Figures[] = [];
  readonly #begun = Date.now();

  add(step: string, figures: Figures): void {
    const seconds = Math.round((Date.now() - this.#begun) / 1000);
    this.steps.push({ step, seconds, ...figures });
  }
}
