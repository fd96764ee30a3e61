// What the pages of stand-ins, twins and containers say of their cost and accuracy, from the records of each.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Interval } from '../../cli/src/analysis/statistics/statistics';
import { percent } from '../../cli/src/ui/numbers';
import {
  filled,
  link,
  number,
  read,
  readJson,
  recordsNamed,
  root,
  SINGLE_RUNS,
  type Generated,
} from './records';
import type { CompareRecord } from '../../cli/src/features/compare/record';
import { linksFrom } from './study-page';

const SPEED = 'docs/records/stand-in.json';
const ARCHIVE = 'studies/twins/results.jsonl.gz';
const ORDER = 'studies/twins/results/order.json';

interface Speed {
  machine: { cores: number; model: string };
  figures: Record<string, { requestsPerCpuSecond: number }>;
}

interface Accuracy {
  executions: number;
  pairs: unknown[];
  ratio: Interval & { value: number };
  /** How far from the original a twin is at most, as a goal. */
  within: number;
  replaced: unknown[];
}

const isThere = (file: string): boolean => existsSync(join(root, file));

function speedText(): string {
  if (!isThere(SPEED)) {
    return `To measure how many requests per second the stand-in answers on your machine, run \`node test/cli/stand-in/stand-in.bench.mjs 30\`.`;
  }
  const { figures, machine } = readJson<Speed>(SPEED);
  const each = Object.entries(figures).map(
    ([name, { requestsPerCpuSecond }]) => `${number(requestsPerCpuSecond)} (${name})`,
  );
  return `We measured the stand-in on a machine with ${String(machine.cores)} cores (${machine.model}). The stand-in's speed on one core depends on the kind of response: ${each.join(', ')} requests per second ([record](${SPEED})).`;
}

function accuracyText(): string {
  if (!isThere(ARCHIVE)) {
    return 'To measure on your machine how much CPU a twin uses compared with its original, run `n8n-tuned study twins`.';
  }
  const { executions, pairs, ratio, replaced, within } = readJson<Accuracy>(ORDER);
  const isWithin = (value: number): boolean => Math.abs(value - 1) <= within;
  const isSure = isWithin(ratio.low) && isWithin(ratio.high);
  const unsure = isSure ? '' : ', but the interval includes larger differences';
  const goal = `The goal is a difference of at most ${percent(within)}. This twin ${isWithin(ratio.value) ? `meets the goal${unsure}` : 'misses the goal'}.`;
  return `We compared the twin of an order workflow with the original workflow, which calls real services. The workflow has 14 nodes, of which ${number(replaced.length)} call services. The twin used ${number(ratio.value)} times as much CPU as the original (${number(ratio.low)} to ${number(ratio.high)}; ${number(pairs.length)} pairs of ${number(executions)} executions; [record](${ARCHIVE}#order)). ${goal}`;
}

function containerText(): string {
  const compared = recordsNamed('compare.json', 'studies/comparisons/').flatMap((path) => {
    const workload = /\/container-([^/]+)\//.exec(path)?.[1];
    return workload === undefined
      ? []
      : [{ path, workload, ratio: readJson<CompareRecord>(path).ratio }];
  });
  if (compared.length === 0) {
    return 'We have not yet compared this target with `--target process`. To compare them, run `n8n-tuned study comparisons`.';
  }
  const ratios = compared.map(
    ({ path, workload, ratio: { value, low, high } }, index) =>
      `${number(value)} times (${number(low)} to ${number(high)})${index === 0 ? ' those of `--target process`' : ''} for \`${workload}\` (${link(path)})`,
  );
  const differing = compared.filter(({ ratio: { low, high } }) => low > 1 || high < 1);
  const meaning =
    differing.length === 0
      ? 'Each interval includes 1, so we found no difference'
      : `The targets differ for ${differing.map(({ workload }) => `\`${workload}\``).join(' and ')}`;
  return `Under alternating load, the executions per second were ${ratios.join(', and ')}. ${meaning}.`;
}

interface SingleRun {
  executions: { requests: number; expectedResponses: number };
}

/** The run of one image, and that of a Compose file. */
function runsText(): string {
  const { container, compose } = readJson<Record<'container' | 'compose', SingleRun>>(SINGLE_RUNS);
  const said = ({ executions: { expectedResponses, requests } }: SingleRun): string =>
    `${number(expectedResponses)} of ${number(requests)}`;
  return `In one run with an n8n image, ${said(container)} requests to a Code node got the expected response. In one run with a Compose file and task runners, ${said(compose)} requests did ([record](${SINGLE_RUNS})).`;
}

export function standIns(): Generated {
  const page = (file: string, name: string, text: string): [string, string] => [
    file,
    filled(read(file), { [name]: linksFrom(file, text) }, 'stand-ins'),
  ];
  return {
    files: Object.fromEntries([
      page('docs/stand-in.md', 'speed', speedText()),
      page('docs/own-workflow.md', 'accuracy', accuracyText()),
      page('docs/container.md', 'process', `${containerText()}\n\n${runsText()}`),
    ]),
  };
}
