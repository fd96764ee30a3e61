import { Document, YAMLMap } from 'yaml';
import type { Role } from '../plan/topology';
import type { Recommendation } from './recommend';
import { priceOf } from './recommend';
import { PLANNED_SHARE, type SizedRole, type Sizing } from './sizing';

const NOT_MEASURED = "not measured: the chart's default";

/** A values.yaml for charts/n8n-tuned, with the evidence behind each value in its comment. */
export function valuesYaml(recommendation: Recommendation): string {
  const { best } = recommendation;
  const { topology } = best.evidence;
  const document = new Document({});
  const root = document.contents as unknown as YAMLMap;
  document.commentBefore = heading(recommendation);

  const set = (path: string[], value: unknown, comment: string): void => {
    document.setIn(path, document.createNode(value));
    const parent = path.length > 1 ? (document.getIn(path.slice(0, -1)) as YAMLMap) : root;
    const pair = parent.items.find((item) => String(item.key) === path.at(-1));
    if (pair)
      pair.key = Object.assign(document.createNode(path.at(-1)), { commentBefore: ` ${comment}` });
  };

  set(['image'], { tag: topology.n8n }, 'the version that was measured');
  set(
    ['executions', 'mode'],
    topology.mode,
    `${topology.mode} mode held ${best.evidence.capacityPerSecond.toFixed(1)}/s in ${best.evidence.source}`,
  );
  if (topology.mode === 'queue' || topology.database === 'postgresql')
    set(
      ['database', 'type'],
      'postgresql',
      'as measured; name your own server under database.external',
    );
  set(['tuning', 'profile'], chartProfile(topology.tuning), `as measured (${topology.tuning})`);
  for (const role of best.roles) setRole(set, role, best);
  const env = Object.entries(topology.env);
  if (env.length > 0) set(['env'], Object.fromEntries(env), 'as measured');
  return document.toString({ lineWidth: 0 });
}

/** Without any tuning the chart's own default still is the safest known. */
const chartProfile = (tuning: Sizing['evidence']['topology']['tuning']): string =>
  tuning === 'none' ? 'default' : tuning;

type Set = (path: string[], value: unknown, comment: string) => void;

function setRole(set: Set, sized: SizedRole, sizing: Sizing): void {
  const { topology } = sizing.evidence;
  const name: Role = sized.role;
  if (name === 'worker') {
    set(['worker', 'replicas'], sized.instances, replicasWhy(sizing));
    set(
      ['worker', 'concurrency'],
      topology.workers.concurrency,
      'as measured; slots / latency is the ceiling',
    );
  }
  if (name === 'webhook') {
    set(['webhook', 'enabled'], true, 'as measured');
    set(['webhook', 'replicas'], sized.instances, 'as measured');
  }
  if (sized.cpuMillicores !== null)
    set([name, 'resources', 'requests', 'cpu'], `${String(sized.cpuMillicores)}m`, sized.why.cpu);
  if (sized.memoryMiB !== null) {
    set(
      [name, 'resources', 'requests', 'memory'],
      `${String(sized.memoryMiB)}Mi`,
      sized.why.memory,
    );
    set(
      [name, 'resources', 'limits', 'memory'],
      `${String(sized.memoryMiB)}Mi`,
      'the same as the request, so that no neighbour can take it; the heaps are sized from it',
    );
  } else set([name, 'resources'], {}, NOT_MEASURED);
}

function replicasWhy({ extrapolated, evidence, wantedPerSecond }: Sizing): string {
  const measured = `${String(evidence.topology.workers.count)} held ${evidence.capacityPerSecond.toFixed(1)}/s`;
  return extrapolated
    ? `reckoned in proportion from ${measured}, for ${String(wantedPerSecond)}/s at ${String(100 * PLANNED_SHARE)} %: not measured, prove it`
    : measured;
}

function heading({ best, others, prices }: Recommendation): string {
  const { evidence, wantedPerSecond, expectedPerSecond, cost } = best;
  const lines = [
    `For ${String(wantedPerSecond)} requests a second of ${evidence.workload} with ${evidence.slo.join(', ')}.`,
    `Expected to hold ${expectedPerSecond.toFixed(1)}/s${best.extrapolated ? ', by extrapolation' : ''}; planned with ${String(100 * PLANNED_SHARE)} % of it.`,
    evidence.confirmed
      ? `Evidence: search ${evidence.source}, confirmed at full length.`
      : `Evidence: search ${evidence.source}, NOT confirmed at full length: prove it before you go live.`,
  ];
  if (cost) {
    lines.push(
      `Costs ${cost.cores.toFixed(2)} cores and ${cost.memoryGiB.toFixed(2)} GiB (${(priceOf(best, prices) ?? 0).toFixed(2)} at ${String(prices.cpu)} a core, ${String(prices.memory)} a GiB).`,
    );
  }
  for (const other of others.slice(0, 3)) {
    const price = priceOf(other, prices);
    lines.push(
      `Would do as well: ${other.evidence.topology.mode} mode of ${other.evidence.source}${price === null ? '' : `, ${price.toFixed(2)}`}.`,
    );
  }
  return lines.map((line) => ` ${line}`).join('\n');
}
