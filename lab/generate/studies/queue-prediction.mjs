// What `n8n-tuned predict` says of numbers of workers, with the number itself held out, and beyond what was measured.
import { readMeasurements } from '../../../cli/src/features/predict/read';
import {
  groupsOf,
  leftOut,
  sizes,
  answer,
} from '../../../cli/src/features/predict/analysis/answer';
import { seededRandom } from '../../../cli/src/analysis/statistics/random';
import { has, link, number, table, unpacked } from '../records.ts';

const FOLDER = 'studies/workers/results';
/** As the command has it. */
const SEED = 1;

function measured() {
  if (!has(FOLDER)) return null;
  return groupsOf(readMeasurements([unpacked(FOLDER)]), 'workers')[0] ?? null;
}

const percent = (share) => `${share > 0 ? '+' : ''}${number(100 * share)}%`;
const rateAt = ({ points }, n) => {
  const rates = points.filter((point) => point.n === n).map(({ ratePerSecond }) => ratePerSecond);
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
};

/** For the index, to come after another sentence; empty without a record. */
export function predictionSentence() {
  const group = measured();
  const largest = group === null ? undefined : leftOut(group, seededRandom(SEED)).at(-1);
  return largest === undefined
    ? ''
    : ` The number of responses with ${largest.n} workers, predicted from fewer, was off by ${percent(largest.error)}.`;
}

export function prediction() {
  const group = measured();
  if (group === null) return '';
  const known = sizes(group);
  const cores = group.measurements[0].machine.cores;
  const held = leftOut(group, seededRandom(SEED)).map(({ n, error }) => [
    n,
    `${number(rateAt(group, n))}/s`,
    `${number(rateAt(group, n) * (1 + error))}/s`,
    percent(error),
  ]);
  const beyond = [2, 3].map((times) => {
    const n = times * known.at(-1);
    const { lowest } = answer(group, n, seededRandom(SEED));
    const { value, low, high } = lowest.ratePerSecond;
    return [n, `${number(value)}/s`, `${number(low)} to ${number(high)}/s`, lowest.name];
  });
  const { cpuMillicores } = group.measurements[0].topology.workers;
  return `## What a prediction says

The workload ${group.measurements[0].workload.name} with ${known.join(', ')} workers, each with ${cpuMillicores}m of CPU. For each number of workers \`n8n-tuned predict\` was
asked without having seen it; of the largest that is a prediction beyond what was measured.

${table(['workers', 'measured', 'predicted from the others', 'off by'], held)}

Beyond all that was measured, on ${cores} cores:

${table(['workers', 'predicted', 'interval', 'limited by'], beyond)}

${link(`${FOLDER}/sweep.json`)}, \`n8n-tuned predict --from ${FOLDER}.jsonl.gz --over workers --at ${2 * known.at(-1)}\``;
}
