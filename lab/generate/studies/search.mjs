// How good the search for a capacity is: on systems that are computed, and on servers of known capacity.
import { has, link, number, range, read, readJson, table, unsure } from '../records.ts';

export function searchQuality() {
  const path = 'studies/search-quality/table.md';
  if (!has(path)) return '';
  const [summary] = read(path).split('\n## ');
  const text = summary.replace(/^# .*\n+/, '').replace(/<!--.*?-->\n+/s, '');
  return `## How good the search is\n\n${text.trim()}\n\n[Each system](${path}), ${link('studies/search-quality/results/record.json')}`;
}

export function knownCapacities() {
  const path = 'studies/known-capacity/results/record.json';
  if (!has(path)) return '';
  const groups = Object.values(readJson(path));
  const rows = groups.flatMap((group) => group.rows);
  return `## The search against real servers

Small servers on this machine whose capacity follows from their own figures: from the service time that they measured
themselves for slots (even arrivals: D/D/c and D/M/1 in closed form), from the rate of a limiter, and, for the one that
computes, from its responses when saturated, before and after.

${table(
  ['server', 'SLO', 'true capacity', 'found', 'off by', 'interval', 'probes', 'probe-seconds'],
  rows.map((r) => [
    r.name,
    r.slo,
    `${number(r.truth)}/s`,
    `${number(r.found)}/s${unsure(r)}`,
    `${number(100 * r.error)}%`,
    `${range(r)}${r.holdsTruth ? '' : ', misses it'}`,
    r.probes,
    number(r.probeSeconds),
  ]),
)}

${link(path)}`;
}
