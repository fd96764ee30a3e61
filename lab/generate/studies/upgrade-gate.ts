// Two versions of n8n compared by a workflow of the user's own, and whether a planted slowdown is noticed.
import type { CompareRecord } from '../../../cli/src/features/compare/record';
import type { Topology } from '../../../cli/src/plan/topology';
import { link, number, readJson, recordsNamed, share, tableOf } from '../records';
import type { StudyPage } from '../study-page';

const TITLES = {
  upgrade: "the upgrade, with n8n's own settings",
  'upgrade-tuned': 'the upgrade, with the settings of this kit',
  next: 'the next version, with the settings of this kit',
  planted: 'no upgrade, a planted slowdown',
};
type Gate = keyof typeof TITLES;

const pathOf = (gate: Gate): string | undefined =>
  recordsNamed('compare.json', `studies/upgrade-gate/results/${gate}/`).at(-1);

function gateOf(gate: Gate) {
  const path = pathOf(gate) ?? '';
  return { title: TITLES[gate], path, record: readJson<CompareRecord>(path) };
}

const interval = ({ ratio }: CompareRecord): string =>
  `${number(ratio.value)}x (${number(ratio.low)} to ${number(ratio.high)})`;
const words = (topology: Topology | null): string => {
  const cpu = topology?.main.cpuMillicores;
  const limit = cpu === undefined ? '' : `, ${number(cpu)}m of CPU`;
  return `n8n ${topology?.n8n ?? ''}, tuning ${topology?.tuning ?? ''}${limit}`;
};

function answer() {
  const [{ record: upgrade }, { record: slowed }] = [gateOf('upgrade'), gateOf('planted')];
  const planted =
    (slowed.b.topology?.main.cpuMillicores ?? NaN) / (slowed.a.topology?.main.cpuMillicores ?? NaN);
  return {
    sentence: `${upgrade.b.topology?.n8n ?? ''} does ${interval(upgrade)} of the requests of ${upgrade.a.topology?.n8n ?? ''}, both with their own settings${upgrade.answer === 'unknown' ? ', which is not enough to tell them apart' : ''}; ${share(1 - planted)} less CPU, planted, was ${slowed.answer === 'worse' ? 'noticed' : 'not noticed'}.`,
    published: 'slower after an upgrade, no figure',
    ours: interval(upgrade),
  };
}

const part = (): string => `## An upgrade, and a slowdown that was planted

[A workflow exported from n8n](studies/upgrade-gate/order.json) is put into both, which are up side by side and are loaded in
turns by 8 clients. Below 1: the second one does less. With \`--fail-on worse\` the command ends with 1 when the whole interval
is below 1.

${tableOf(
  (Object.keys(TITLES) as Gate[]).filter((gate) => pathOf(gate) !== undefined).map(gateOf),
  {
    gate: ({ title }) => title,
    first: ({ record }) => words(record.a.topology),
    second: ({ record }) => words(record.b.topology),
    'requests per second': ({ record }) => interval(record),
    pairs: ({ record }) => record.a.values.length,
    answer: ({ record }) => record.answer,
    '': ({ path }) => link(path),
  },
)}

**Why it differs from what was published.** Users report n8n to be slower after an upgrade (n8n's issues 17130, 18186 and
28991), without a figure that can be compared. Yours depends on what your workflows do: measure them.

## The recipe

\`\`\`sh
# From the n8n that runs: every workflow that matters, and a request that starts it.
n8n export:workflow --id=ID --output=order.json
n8n-tuned compare --n8n 2.40.7 --n8n 2.41.1 --workflow order.json --request 'POST /webhook/order' --body @order-body.json \\
  --expect json.total==114 --vus 8 --fail-on worse
\`\`\`

Exit code 0: not worse; 1: worse, beyond noise; 3: too little evidence, give it more with \`--pairs\` and \`--budget\`. With
\`--metric p95\`, \`memory\` or \`cpu-per-request\` it is decided by these. Two n8n that already run are compared by their URLs.
A workflow must run in both: nodes that one of them lacks show as errors, which make the comparison invalid.`;

export const upgradeGate: StudyPage = {
  study: 'upgrade-gate',
  answer,
  parts: [part],
};
