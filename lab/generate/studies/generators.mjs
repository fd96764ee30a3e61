// What it costs to merge the requests of many load generators, and how far averaged percentiles would be off.
import { has, link, number, readJson, table } from '../records.ts';

const PATH = 'studies/generators/results/record.json';
const WITH = new Map([
  [0.5, 'p50'],
  [0.95, 'p95'],
  [0.99, 'p99'],
]);

const percentOff = (value, exact) => `${number(100 * (value / exact - 1))}%`;

export function generators() {
  if (!has(PATH)) return '';
  const { rows, loadAverage } = readJson(PATH);
  const named = rows.map((row) => {
    const of = (name) => row.percentiles.find(({ share }) => WITH.get(share) === name);
    return [
      ...[number(row.generators), `${number(row.ratePerSecond)}/s`, `${number(row.seconds)} s`],
      ...[`${number(row.lagMs)} ms`, number(row.requests)],
      `${number(row.cpuUsPerRequest)} us`,
      `${number(100 * row.cpuShareOfACore)}%`,
      `${number(row.rssPeakMiB)} MiB`,
      percentOff(of('p95').mergedMs, of('p95').exactMs),
      percentOff(of('p95').averageMs, of('p95').exactMs),
      percentOff(of('p99').averageMs, of('p99').exactMs),
    ];
  });
  return `## Many load generators as one run

Lines as k6 prints them, of generators of which one in ten is 80 ms farther away, through the command's own code: read,
put in order, counted. A simulation without network and disk; CPU is that of the process alone (load average of the
machine ${number(loadAverage)}). Up to a million requests percentiles are exact, beyond they are off by 0.1% at the most. The last two
columns show what the mean of the generators' own percentiles would have said.

${table(
  [
    ...[
      'generators',
      'rate',
      'length',
      'streams lag by up to',
      'requests',
      'CPU per request',
      'of a core',
    ],
    ...['highest memory', 'p95 merged, off by', 'p95 averaged, off by', 'p99 averaged, off by'],
  ],
  named,
)}

${link(PATH)}`;
}
