/** The chart, rendered by whichever Helm is there. */
import { spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';
import { findProgram } from '../../lab/paths';
import { Mistake } from '../../ui/exit';

const HELMS = ['helm3', 'helm4', 'helm'];
/** A Helm without a cluster would guess it. */
const KUBERNETES = '1.33.0';
const WITHIN_MS = 30_000;
const MAX_BYTES = 64 << 20;

/** Null where there is none. */
export function findHelm(): string | null {
  return HELMS.map((name) => findProgram(name)).find((program) => program !== null) ?? null;
}

/** Every manifest; what the chart refuses is the user's mistake, in the chart's own words. */
export function renderChart(
  helm: string,
  chart: string,
  values: string,
  release = 'n8n',
): unknown[] {
  const { status, stdout, stderr, error } = spawnSync(
    helm,
    ['template', release, chart, '--kube-version', KUBERNETES, '--values', '-'],
    { input: values, encoding: 'utf8', timeout: WITHIN_MS, maxBuffer: MAX_BYTES },
  );
  if (error !== undefined) throw error;
  if (status !== 0) throw new Mistake(`the chart rejects the values: ${refusal(stderr)}`);
  return parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
}

/** Without the place in the templates, which nobody who writes values knows. */
function refusal(stderr: string): string {
  const said = stderr
    .split('\n')
    .filter(
      (line) => line.trim() !== '' && !line.startsWith('WARNING') && !/^Use --debug/.test(line),
    )
    .join(' ');
  return said
    .replace(/^Error: (?:.*?error calling \w+: |execution error at \([^)]*\): )?/, '')
    .trim();
}
