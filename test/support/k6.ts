import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseLine } from '../../cli/src/load/lines';
import { findK6 } from '../../cli/src/load/k6';
import type { LoadSummary } from '../../loadtests/lib/load-summary';
import type { Line } from '../../loadtests/lib/print';

export interface PlainRun {
  exitCode: number | null;
  summary: LoadSummary | null;
  lines: Line[];
  output: string;
}

/** Runs k6 as a user without the command would: `k6 run -e NAME=value loadtests/PROFILE.ts`; `environment` is that of k6. */
export async function runPlainK6(
  profile: string,
  env: Record<string, string | number>,
  k6 = process.env.K6 ?? findK6(),
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<PlainRun> {
  const folder = mkdtempSync(join(tmpdir(), 'plain-k6-'));
  const summaryFile = join(folder, 'summary.json');
  const settings = { SUMMARY_FILE: summaryFile, ...env };
  const child = spawn(
    k6,
    [
      'run',
      '--quiet',
      '--address=127.0.0.1:0',
      '--log-output=stdout',
      '--log-format=raw',
      ...flags,
      ...Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${String(value)}`]),
      `${profile}.ts`,
    ],
    {
      cwd: join(__dirname, '../../loadtests'),
      env: { ...process.env, K6_NO_USAGE_REPORT: 'true', ...environment },
    },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const lines = output
      .split('\n')
      .map(parseLine)
      .filter((line) => line !== null);
    return { exitCode, summary: readSummary(summaryFile), lines, output };
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function readSummary(file: string): LoadSummary | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LoadSummary;
  } catch {
    return null;
  }
}
