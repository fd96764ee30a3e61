import { Document, isMap, isPair, isScalar, type YAMLMap } from 'yaml';
import { PLANNED_SHARE } from '../find/analysis/planned-share';
import { kitPools, valuesOfTopology } from '../../plan/chart-values';
import { at, chartFile, hasSetting } from '../../plan/environment';
import { databaseOf, type Topology } from '../../plan/topology';
import { SEAL } from '../../record/user-file';
import { isMasked } from '../../plan/secrets/mask';
import { keptData, keptSentence, type Keeping } from './kept-data';
import { priceOf, type Recommendation } from './analysis/recommend';
import type { SizedRole, Sizing } from './analysis/sizing';
import { counted, formatNumber, percent } from '../../ui/numbers';

type Path = readonly string[];
/** A value, and above it the evidence for it. */
type Say = (path: Path, value: unknown, evidence: string) => void;

export interface Beside {
  /** How long executions are kept; null leaves that to the chart. */
  keeping: Keeping | null;
  /** What came of loading exactly these values. */
  proof?: string;
}

/** Its first line, by which it is known as ours. */
export const VALUES_BEGIN = '# Written by n8n-tuned recommend.\n';
export const VALUES_HEAD = `${VALUES_BEGIN}# Checksum, to detect edits: ${SEAL}\n`;

export const withoutHead = (text: string): string =>
  text.startsWith(VALUES_BEGIN)
    ? text.slice(VALUES_BEGIN.length).replace(/^# Checksum, .*\n/, '')
    : text;

/** A values.yaml for charts/n8n-tuned, with the evidence behind each value in its comment. */
export function valuesYaml(
  recommendation: Recommendation,
  { keeping, proof }: Beside = { keeping: null },
): string {
  const document = new Document({});
  const lines = [...(proof === undefined ? [] : [proof]), ...heading(recommendation)];
  document.commentBefore = lines.map((line) => ` ${line}`).join('\n');
  const say: Say = (path, value, evidence) => {
    document.setIn(path, document.createNode(value));
    const parent = path.length > 1 ? document.getIn(path.slice(0, -1)) : document.contents;
    const key = isMap(parent) ? keyOf(parent, path.at(-1) ?? '') : null;
    if (key !== null) key.commentBefore = ` ${evidence}`;
  };
  const { best } = recommendation;
  sayAll(say, best);
  if (keeping !== null) sayKeeping(say, best, keeping);
  for (const role of best.roles) sayRole(say, role, best);
  return VALUES_HEAD + document.toString({ lineWidth: 0 });
}

/** The key as a node that can carry a comment. */
function keyOf(parent: YAMLMap, name: string): { commentBefore?: string | null } | null {
  const pair = parent.items.find((item) => isPair(item) && String(item.key) === name);
  if (pair === undefined) return null;
  if (!isScalar(pair.key)) pair.key = new Document(name).contents;
  return pair.key as { commentBefore?: string | null };
}

function sayAll(say: Say, best: Sizing): void {
  const { evidence, wantedPerSecond } = best;
  const { topology, source } = evidence;
  const isUntuned = topology.tuning === 'none';
  const written = valuesOfTopology(isUntuned ? { ...topology, tuning: 'default' } : topology);
  const sayWritten = (path: Path, why: string): void => {
    say(path, at(written, path), why);
  };
  const held = `sustained ${formatNumber(evidence.capacityPerSecond)}/s in ${source}`;
  sayWritten(['image'], 'the version that was measured');
  sayWritten(['executions', 'mode'], `${topology.mode} mode ${held}`);
  if (topology.process === 'own') sayWritten(['executions', 'process'], `as measured in ${source}`);
  if (topology.mode === 'queue' && hasSetting(topology.n8n, 'executions.peakRatePerSecond')) {
    say(
      ['executions', 'peakRatePerSecond'],
      Math.ceil(wantedPerSecond),
      'the target rate, for which n8n keeps enough finished jobs, so that no caller loses its response',
    );
  }
  const isPostgresql = databaseOf(topology) === 'postgresql';
  sayWritten(
    ['database', 'type'],
    isPostgresql
      ? `as measured in ${source}; to use your own server, set database.external`
      : `as measured in ${source}`,
  );
  if (isPostgresql) sayPool(say, best);
  sayWritten(
    ['tuning', 'profile'],
    isUntuned
      ? `no evidence: ${source} measured n8n without any tuning, which the chart does not offer`
      : `as measured in ${source}`,
  );
  for (const name of Object.keys(topology.settings ?? {})) {
    sayWritten(['tuning', name], `as measured in ${source}`);
  }
  sayHeap(say, best);
  const env = Object.entries(recordedEnv(topology.env)).filter(([name]) => name !== POOL_VARIABLE);
  if (env.length > 0) say(['env'], Object.fromEntries(env), `as measured in ${source}`);
}

/** Without what the record keeps only as `***`: deployed, n8n would take that for the secret. */
const recordedEnv = (env: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => !isMasked(value)));

/** The chart's own volumes are the only ones whose size values can say. */
const MIN_VOLUME_GIB = { sqlite: 5, postgresql: 10 };

function sayKeeping(say: Say, { evidence: { topology } }: Sizing, keeping: Keeping): void {
  const sentence = keptSentence(keeping);
  say(['executions', 'pruning', 'maxAgeHours'], Math.ceil(24 * keeping.days), sentence);
  say(['executions', 'pruning', 'maxCount'], 0, 'no limit: only the age decides');
  const isPostgresql = databaseOf(topology) === 'postgresql';
  const min = MIN_VOLUME_GIB[isPostgresql ? 'postgresql' : 'sqlite'];
  const size = `${String(Math.max(min, Math.ceil(keptData(keeping).diskGiB)))}Gi`;
  if (isPostgresql) {
    const why = "for the chart's own PostgreSQL; your own server needs as much space";
    say(['database', 'own', 'persistence', 'size'], size, why);
  } else say(['persistence', 'size'], size, "for n8n's folder, which contains the SQLite file");
}

/** Variables that were set in the measurement and cannot be written here, by the value they belong under. */
function leftOutSecrets(topology: Topology): string[] {
  const { main, worker, webhook } = layoutOf(topology);
  const parts = {
    env: topology.env,
    'main.env': main.env,
    'worker.env': worker.env,
    'webhook.env': webhook.env,
  };
  return Object.entries(parts).flatMap(([key, env]) =>
    Object.entries(env)
      .filter(([, value]) => isMasked(value))
      .map(([name]) => `${name} (${key})`),
  );
}

const POOL_VARIABLE = 'DB_POSTGRESDB_POOL_SIZE';

function sayPool(say: Say, { evidence: { topology, source } }: Sizing): void {
  const own = topology.env[POOL_VARIABLE];
  const path = ['database', 'poolSize'];
  if (own !== undefined) {
    say(path, Number(own), `as measured in ${source}`);
    return;
  }
  const measured = kitPools(topology).map(([role, size]) => `${String(size)} in ${role}`);
  say(
    path,
    null,
    measured.length === 0
      ? `no evidence: ${source} used n8n's default pool size; with null, the chart computes the size from the concurrency`
      : `computed from the concurrency, as in ${source}, where the size was ${measured.join(' and ')}`,
  );
}

/** Heaps by the chart's shares of the limit, unless the measurement had others. */
function sayHeap(say: Say, { evidence: { topology, source } }: Sizing): void {
  const { heapMiB, memoryMiB } = topology.main;
  if (heapMiB === 'none' || topology.tuning === 'none') {
    say(['heap', 'enabled'], false, `V8's own heaps, as measured in ${source}`);
    return;
  }
  const shareOf = (name: string): string => String(at(chartFile('values.yaml'), ['heap', name]));
  const rule = `${shareOf('oldSpace')} for n8n, ${shareOf('runnerOldSpace')} for its runner`;
  if (typeof heapMiB === 'number') {
    say(['heap', 'oldSpace'], `${String(heapMiB)}Mi`, `as measured in ${source}`);
  } else {
    say(
      ['heap', 'enabled'],
      true,
      memoryMiB === undefined
        ? `no evidence: ${source} had no memory limit; the chart's rule (${rule} of the limit) was measured with 1536 MiB`
        : `the rule that ${source} used for a limit of ${String(memoryMiB)} MiB: ${rule}`,
    );
  }
}

function sayRole(say: Say, sized: SizedRole, sizing: Sizing): void {
  const { topology, source } = sizing.evidence;
  const { role } = sized;
  if (role === 'worker') sayWorkers(say, sized, sizing);
  if (role === 'webhook') {
    say(['webhook', 'enabled'], true, `as measured in ${source}`);
    say(['webhook', 'replicas'], sized.instances, `as measured in ${source}`);
  }
  const { env: allEnv, memoryMiB: limitMiB } = layoutOf(topology)[role];
  const env = recordedEnv(allEnv);
  if (Object.keys(env).length > 0) say([role, 'env'], env, `as measured in ${source}`);
  if (sized.cpuMillicores === null || sized.memoryMiB === null) {
    say([role, 'resources'], {}, `no evidence: ${source} has no resource usage of ${role}`);
    return;
  }
  say([role, 'resources', 'requests', 'cpu'], `${String(sized.cpuMillicores)}m`, sized.why.cpu);
  say([role, 'resources', 'requests', 'memory'], `${String(sized.memoryMiB)}Mi`, sized.why.memory);
  say(
    [role, 'resources', 'limits', 'memory'],
    `${String(Math.max(limitMiB ?? 0, sized.memoryMiB))}Mi`,
    limitMiB !== undefined && limitMiB >= sized.memoryMiB
      ? `as measured in ${source}; the heap sizes depend on this limit`
      : 'the same as the request, so that no other pod can take this memory; the heap sizes depend on this limit',
  );
}

const layoutOf = ({ main, workers, webhooks }: Topology) => ({
  main,
  worker: workers,
  webhook: webhooks,
});

function sayWorkers(say: Say, sized: SizedRole, sizing: Sizing): void {
  const { topology, source } = sizing.evidence;
  say(['worker', 'replicas'], sized.instances, sizing.workersWhy);
  say(
    ['worker', 'concurrency'],
    topology.workers.concurrency,
    `as measured in ${source}; slots / latency is the highest possible rate`,
  );
  say(['worker', 'keda', 'enabled'], false, 'no evidence: no varying load was measured');
  say(
    ['worker', 'keda', 'minReplicas'],
    sized.instances,
    'the number of workers for the target rate; it is unknown whether fewer workers are enough',
  );
  say(
    ['worker', 'keda', 'maxReplicas'],
    Math.max(sized.instances, topology.workers.count),
    'the largest number that was measured; more workers may sustain less if they share cores',
  );
}

const BASIS: Record<Sizing['basis'], string> = {
  measured: 'as measured',
  law: 'according to the scalability law (prove this rate before you go live)',
  proportion: 'WITHOUT EVIDENCE, in proportion to the workers (prove this rate before you go live)',
};

function heading({ best, others, prices }: Recommendation): string[] {
  const { evidence, wantedPerSecond, expectedPerSecond, cost, basis } = best;
  const lines = [
    `These values are for ${counted(wantedPerSecond, 'request')} per second of ${evidence.workload} with ${evidence.slo.join(', ')}.`,
    `They are expected to sustain ${formatNumber(expectedPerSecond)}/s, ${BASIS[basis]}; the plan uses at most ${percent(PLANNED_SHARE)} of this rate.`,
    evidence.confirmed
      ? `Evidence: search ${evidence.source}, confirmed at full length.`
      : `Evidence: search ${evidence.source}, NOT confirmed at full length: prove the values before you go live.`,
  ];
  if (cost) {
    lines.push(
      `The values cost ${formatNumber(cost.cores)} cores and ${formatNumber(cost.memoryGiB)} GiB (price ${formatNumber(priceOf(best, prices) ?? 0)}, at ${formatNumber(prices.cpu)} per core and ${formatNumber(prices.memory)} per GiB).`,
    );
  }
  const secrets = leftOutSecrets(evidence.topology);
  if (secrets.length > 0) {
    lines.push(
      `This file does not set these variables, because records do not store secrets: ${secrets.join(', ')}. Set each variable with valueFrom, from a Secret with the value that was used in the measurement.`,
    );
  }
  for (const other of others.slice(0, 3)) {
    const price = priceOf(other, prices);
    const { topology, source } = other.evidence;
    const layout =
      topology.mode === 'queue'
        ? `queue mode, ${counted(other.workers, 'worker')}`
        : 'regular mode';
    lines.push(
      `Alternative: ${layout}, ${topology.tuning} tuning, from ${source}${price === null ? '' : `, price ${formatNumber(price)}`}.`,
    );
  }
  return lines;
}
