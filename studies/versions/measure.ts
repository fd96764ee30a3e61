// n8n as it comes against the chart's defaults, for each version: both run at once and are loaded in turns.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { CompareRecord } from '../../cli/src/features/compare/record';
import { NotMeasured, type Study } from '../../cli/src/features/study/study';
import { installedN8n } from '../../cli/src/lab/n8n';
import { cacheFolder } from '../../cli/src/lab/paths';
import { formatNumber } from '../../cli/src/ui/numbers';
import { middleOf, PARTS, QUICK_PARTS, ratioOf, WORKLOADS, type Cell } from './figures';

const modeOf = ({ mode }: Cell): object =>
  mode === 'regular'
    ? { executions: { mode } }
    : { executions: { mode }, database: { type: 'postgresql' }, worker: { replicas: 1 } };

export default {
  parts: PARTS,
  quickParts: QUICK_PARTS,
  whyNot: ({ n8n }) =>
    installedN8n(cacheFolder()).includes(n8n)
      ? null
      : `n8n ${n8n} is not installed: n8n-tuned n8n install ${n8n}`,
  async measured(part, { call, scratch, isShort }) {
    const sides = { 'as-it-comes': { tuning: { profile: 'none' } }, defaults: {} };
    const files = Object.entries(sides).map(([name, values]) => {
      const file = join(scratch, `${name}.yaml`);
      writeFileSync(file, stringify({ image: { tag: part.n8n }, ...modeOf(part), ...values }));
      return file;
    });
    const clients = String(WORKLOADS[part.workload]);
    // Many short runs, since what moves the ratio is the machine between one run and the next.
    const [warmup, duration, pairs] = isShort ? ['1s', '3s', '2'] : ['1s', '6s', '20'];
    const { record } = await call<CompareRecord>([
      ...['compare', ...files, '--workload', part.workload, '--vus', clients],
      ...['--warmup', warmup, '--duration', duration, '--pairs', pairs, '--precision', '25%'],
      // That the short form runs says nothing of speed.
      ...(isShort ? ['--anyway'] : ['--wait-for-quiet', '10m']),
      ...['--out', scratch],
    ]);
    const found = ratioOf(part, record);
    if ('why' in found) throw new NotMeasured(found.why);
    const { value, low, high } = found.ratio;
    const range = high === null ? 'no interval' : `${formatNumber(low)} to ${formatNumber(high)}`;
    const [before, after] = [found.asItComes, found.defaults].map(middleOf);
    return {
      record: found,
      sentence: `${formatNumber(value)}x (${range}), from ${formatNumber(before ?? NaN)}/s to ${formatNumber(after ?? NaN)}/s`,
    };
  },
} satisfies Study<Cell>;
