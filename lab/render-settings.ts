// Renders the blocks of docs/only-settings.md with the charts that they are for, and records what their pods get.
// Needs Helm, and a folder with the charts `official`, `community` and `8gears`, as studies/charts/peers.sh gets them,
// each with a file COMMIT that names its commit.
//   npx tsx lab/render-settings.ts FOLDER
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { BLOCKS, RENDERED, settings } from './generate/only-settings';
import { root } from './generate/records';

interface Workload {
  kind?: string;
  spec?: {
    template?: {
      spec?: { containers?: { name: string; env?: { name: string; value?: unknown }[] }[] };
    };
  };
}

const [folder = ''] = process.argv.slice(2);
const all = settings();
const charts = ['official', 'community', '8gears'].map((deployment) => {
  const block = BLOCKS.find((one) => one.deployment === deployment)?.text(all) ?? '';
  const chart = join(folder, deployment);
  const { name, version } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as {
    name: string;
    version: string;
  };
  return {
    deployment,
    chart: `${deployment}/${name} ${version}`,
    commit: readFileSync(join(chart, 'COMMIT'), 'utf8').trim(),
    sha256: createHash('sha256').update(block).digest('hex'),
    environment: environmentIn(chart, block, ownValues(deployment)),
  };
});
writeFileSync(join(root, RENDERED), `${JSON.stringify({ charts }, null, 2)}\n`);

/** What the chart needs besides, as it was measured: an encryption key, for example. */
function ownValues(deployment: string): string[] {
  const file = join(root, `studies/charts/values/${deployment}-regular.yaml`);
  return existsSync(file) ? ['--values', file] : [];
}

/** Reads those variables of the first container of n8n that the block names. */
function environmentIn(
  chart: string,
  block: string,
  own: readonly string[],
): Record<string, unknown> {
  const made = mkdtempSync(join(tmpdir(), 'settings-'));
  try {
    const values = join(made, 'values.yaml');
    writeFileSync(values, block);
    const text = execFileSync('helm3', ['template', 'n8n', chart, ...own, '--values', values], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    const containers = parseAllDocuments(text)
      .map((document) => document.toJS() as Workload | null)
      .filter((one) => one?.kind === 'Deployment' || one?.kind === 'StatefulSet')
      .flatMap((one) => one?.spec?.template?.spec?.containers ?? []);
    const env = containers[0]?.env ?? [];
    const wanted = all.map(({ name }) => name);
    return Object.fromEntries(
      env.filter(({ name }) => wanted.includes(name)).map(({ name, value }) => [name, value]),
    );
  } finally {
    rmSync(made, { recursive: true });
  }
}
