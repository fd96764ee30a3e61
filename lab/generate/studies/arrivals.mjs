// By how much even arrivals flatter a percentile near saturation.
import { has, link, number, readJson, table } from '../records.ts';

export function arrivals() {
  const path = 'studies/arrivals/results/record.json';
  if (!has(path)) return '';
  const { slots, serviceMs, seconds, rows } = readJson(path);
  const rates = [...new Set(rows.map(({ ratePerSecond }) => ratePerSecond))];
  const of = (rate, kind) =>
    rows.find(({ ratePerSecond, arrivals: each }) => ratePerSecond === rate && each === kind);
  const most = (1000 * slots) / serviceMs;
  return `## Even and random arrivals

Requests at even distances make a queue shorter than the same number at random ones, as callers send who do not know
each other. One server with ${slots} slots and exponential service times of ${serviceMs} ms (M/M/${slots}; at most
${number(most)} req/s), k6 with both kinds of arrivals for ${seconds} s each, and the same queue computed over
2,000,000 requests with the service time that was measured. A search therefore takes random arrivals; \`run\` and the
load profiles take even ones unless \`--arrivals random\` is given.

${table(
  [
    'req/s',
    'of the most',
    'p95 even',
    'p95 random',
    'ratio',
    'computed even',
    'computed random',
    'computed ratio',
  ],
  rates.map((rate) => {
    const [even, random] = [of(rate, 'even'), of(rate, 'random')];
    return [
      number(rate),
      `${number((100 * rate) / most)}%`,
      `${number(even.p95Ms)} ms`,
      `${number(random.p95Ms)} ms`,
      `${number(random.p95Ms / even.p95Ms)}x`,
      `${number(even.computedP95Ms)} ms`,
      `${number(random.computedP95Ms)} ms`,
      `${number(random.computedP95Ms / even.computedP95Ms)}x`,
    ];
  }),
)}

One run of each: near saturation a run of this length is far from its long-term mean, so the measured ratios scatter
around the computed ones. ${link(path)}`;
}
