// What the command n8n-tuned recorded of n8n: its own records, beneath studies/.
import { limitName } from './limit-name.mjs';
import { dirname } from 'node:path';
import { readRun } from '../../../cli/src/record/read-run';
import {
  hrefOf,
  link,
  number,
  range,
  readJson,
  recordsNamed,
  table,
  undecided,
  unpacked,
  unsure,
} from '../records.ts';

/** Of the workload wait-5s. */
const WAIT_SECONDS = 5;

/** The published experiment: eight clients, one minute, a webhook whose function takes five seconds. */
export function closedLoops() {
  const runs = recordsNamed('run.json', 'studies/closed-loop/').map((path) => [
    path,
    readJson(path),
  ]);
  if (runs.length === 0) return '';
  const n8n = new Set(['main', 'worker', 'webhook', 'runner']);
  const rows = runs.map(([path, r]) => {
    const ours = r.summary.roles.filter(({ role }) => n8n.has(role));
    const sum = (key) => ours.reduce((total, role) => total + (role[key] ?? 0), 0);
    return [
      path.split('/').at(-2),
      r.versions.n8n,
      `${number(r.summary.achieved.ratePerSecond)}/s`,
      `${number(r.summary.latencyMs?.p50 ?? null)} ms`,
      `${number(r.summary.latencyMs?.p95 ?? null)} ms`,
      `${number(100 * r.summary.errors.share)}%`,
      sum('processesPeak'),
      `${number(sum('rssPeakMiB'))} MiB`,
      limitName(r.verdict.limitedBy.limit),
      link(path),
    ];
  });
  const { workload, profile } = runs[0][1];
  return `## One process for each execution, or one for all

${profile.clients} clients that each wait for their response, ${profile.durationSeconds} s, ${workload.title.toLowerCase()}.

${table(['topology', 'n8n', 'expected responses', 'p50', 'p95', 'errors', 'n8n processes, most', 'their memory, most', 'limited by', ''], rows)}

${profile.clients} clients that each wait for a function of ${WAIT_SECONDS} s cannot get more than
${number(profile.clients / WAIT_SECONDS)} responses per second: more needs responses that come before the function has ended. Nothing
failed in this run, since memory was not limited: with a limit, the processes of own do not fit.`;
}

export function comparisons(study) {
  const records = recordsNamed('compare.json', `studies/${study}/`).map((path) => [
    path,
    readJson(path),
  ]);
  if (records.length === 0) return '';
  const rows = records.map(([path, r]) => [
    r.workload.name,
    `${r.a.name} → ${r.b.name}`,
    r.metric,
    ['no difference', 'unknown'].includes(r.answer)
      ? `${undecided(r.ratio)} (${number(r.ratio.low)} to ${number(r.ratio.high)})`
      : `${number(r.ratio.value)}x (${number(r.ratio.low)} to ${number(r.ratio.high)})`,
    r.a.values.filter((value, index) => value !== null && (r.b.values[index] ?? null) !== null)
      .length,
    `${r.versions.n8n}, ${r.a.topology?.mode ?? '-'}`,
    link(path),
  ]);
  return `## What a setting changes

Two topologies up side by side on one machine, measured in turns (ABBA) until the interval of the ratio excluded 1.
More than 1: the second one is better.

${table(['workload', 'from → to', 'by', 'ratio, 95% interval', 'pairs', 'n8n', ''], rows)}`;
}

export function capacities() {
  const records = recordsNamed('find.json', 'studies/capacity/').map((path) => [
    path,
    readJson(path),
  ]);
  if (records.length === 0) return '';
  const rows = records.map(([path, r]) => [
    r.workload.name,
    r.topology?.mode ?? '-',
    r.slo.map((s) => s.text).join(', '),
    `${number(r.capacity.ratePerSecond)}/s (${range(r.capacity)})${unsure({ ...r.capacity, verdict: r.verdict })}`,
    limitName(r.limit),
    link(path),
  ]);
  return `## Capacities

${table(['workload', 'mode', 'SLO', 'capacity', 'limited by', ''], rows)}`;
}

export function proofs() {
  const records = recordsNamed('proof.json', 'studies/proof/').map((path) => [
    path,
    readJson(path),
  ]);
  if (records.length === 0) return '';
  const rows = records.map(([path, { verdict }]) => [
    path.split('/').at(-2),
    verdict,
    provingRun(path).verdict.sentence,
    `${link(path.replace('proof.json', 'run.json'))}, [values](${hrefOf(path)})`,
  ]);
  return `## Values that were proved

${table(['values', 'verdict', 'why', ''], rows)}`;
}

/** In the words of today, whatever those of its record are. */
const provingRun = (path) => readRun(unpacked(dirname(path)));
