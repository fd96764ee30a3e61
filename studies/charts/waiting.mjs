// Why a chart has no expected response where 100 callers wait for work of 5 s in regular mode: one process of n8n with the
// CPU and the memory of a pod of the comparison, as it comes and with the chart's default profile. Writes
// results/waiting.json.
//
//   make lab build && node studies/charts/waiting.mjs        about two minutes
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOADS } from './parts.mjs';
import { recordsOf } from '../archive.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const WORKLOAD = 'wait-5s';
const [, clients, ...load] = LOADS[WORKLOAD].regular;
load.splice(load.indexOf('--pairs'), 2);
const WORDS = [
  ...['run', '--mode', 'regular', '--workload', WORKLOAD, '--cpu', '1', '--memory', '1Gi'],
  ...['--profile', 'closed', '--vus', clients, ...load],
];

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-waiting-'));
const runs = ['none', 'default'].map((tuning) => {
  const out = join(folder, tuning);
  const args = [path('../../cli/dist/cli.js'), ...WORDS, '--tuning', tuning, '--out', out];
  spawnSync(process.execPath, args, { stdio: 'inherit' });
  const [name] = readdirSync(out).filter((each) => each !== 'latest');
  const { summary, verdict, versions } = JSON.parse(
    readFileSync(join(out, name, 'run.json'), 'utf8'),
  );
  const { requests, byKind } = summary.errors;
  const main = summary.roles.find(({ role }) => role === 'main');
  return {
    tuning,
    n8n: versions.n8n,
    outcome: verdict.outcome,
    sentence: verdict.sentence,
    requests: summary.offered.requests,
    ratePerSecond: summary.achieved.ratePerSecond,
    errors: { requests, byKind },
    main: { oomKills: main.oomKills, restarts: main.restarts, rssPeakMiB: main.rssPeakMiB },
  };
});
rmSync(folder, { recursive: true });
const record = { when: new Date().toISOString(), command: WORDS.join(' '), clients, runs };
recordsOf('charts').write('waiting', record);
