// Figures that a test saw, kept where N8N_TUNED_SEEN names a file: docs/records/chart-on-cluster.json.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readVersions } from '../../cli/src/lab/paths';
import { pause } from './wait';

const CHART = join(__dirname, '../../charts/n8n-tuned');
/** No release has these. */
const NOT_DEPLOYED = /^(ci|tests|tools)\/|\.md$/;

/** Names the chart as it is, so that a record shows of which one it is. */
function chartDigest(): string {
  const hash = createHash('sha256');
  const files = readdirSync(CHART, { recursive: true, encoding: 'utf8' })
    .filter((name) => !NOT_DEPLOYED.test(name) && lstatSync(join(CHART, name)).isFile())
    .sort();
  for (const name of files) hash.update(`${name}\0`).update(readFileSync(join(CHART, name)));
  return hash.digest('hex').slice(0, 12);
}

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
    chart: chartDigest(),
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
