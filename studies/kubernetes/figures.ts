// What is kept of a run beneath a search: the figures that say why two targets differ. Pure.
import type { RunRecord } from '../../cli/src/record/run-record';

const ROLES = ['main', 'webhook', 'worker'];
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const mean = (values: readonly number[]): number => total(values) / values.length;

interface Group {
  role: string | null;
  cores: number[];
  limit: number | null;
  own: number[];
  others: number;
}

/** `record`: of run.json; `samples`: the text of its samples.csv. */
export function figuresOf(
  run: string,
  { summary, profile, verdict }: Pick<RunRecord, 'summary' | 'profile' | 'verdict'>,
  samples: string,
) {
  const { achieved, latencyMs, cpuMillisecondsPerRequest, roles, generator } = summary;
  const fromMs = 1000 * profile.warmupSeconds;
  const window = { fromMs, toMs: fromMs + 1000 * profile.durationSeconds };
  return {
    run,
    outcome: verdict.outcome,
    ...(profile.ratePerSecond === undefined
      ? { clients: profile.clients }
      : { ratePerSecond: profile.ratePerSecond }),
    achievedPerSecond: achieved.ratePerSecond,
    latencyMs:
      latencyMs === null
        ? null
        : { mean: latencyMs.mean, p50: latencyMs.p50, p95: latencyMs.p95, p99: latencyMs.p99 },
    cpuMillisecondsPerRequest,
    generatorCores: generator.cpuCores,
    roles: roles.map(({ role, instances, cpuCoresMean, throttledShare }) => ({
      ...{ role, instances, cpuCoresMean, throttledShare },
    })),
    containers: containersOf(samples, window),
  };
}

/**
 * Tells of each role of n8n what its control groups may use and use, and what of it the processes of n8n use, task runners
 * included. The rest is what else runs in them: on Kubernetes the shell that reads the figures.
 */
export function containersOf(samples: string, { fromMs, toMs }: { fromMs: number; toMs: number }) {
  const groups = new Map<string, Group>();
  for (const line of samples.split('\n').slice(1)) {
    const [tMs, role = '', instance = '', metric, value] = line.split(',');
    if (!(Number(tMs) >= fromMs && Number(tMs) < toMs)) continue;
    const name = instance.split('/', 1).join('');
    const group = groups.get(name) ?? {
      ...{ role: null, cores: [], limit: null, own: [], others: 0 },
    };
    groups.set(name, group);
    if (metric === 'groupCpuCores') {
      group.role = role;
      group.cores.push(Number(value));
    } else if (metric === 'groupCpuLimitCores') group.limit = Number(value);
    else if (metric === 'cpuCores' && ROLES.includes(role) && instance === name) {
      group.own.push(Number(value));
    } else if (metric === 'cpuCores' && [...ROLES, 'runner'].includes(role)) {
      group.others += Number(value);
    }
  }
  const seen = [...groups.values()].filter(
    ({ role, cores, own }) => ROLES.includes(role ?? '') && cores.length > 0 && own.length > 0,
  );
  return ROLES.flatMap((role) => {
    const ofRole = seen.filter((group) => group.role === role);
    if (ofRole.length === 0) return [];
    const limits = ofRole.flatMap(({ limit }) => limit ?? []);
    return [
      {
        ...{ role, instances: ofRole.length },
        limitCores: limits.length < ofRole.length ? null : total(limits),
        cores: total(ofRole.map(({ cores }) => mean(cores))),
        // A child is not seen in every look: its share of the looks counts.
        n8nCores: total(ofRole.map(({ own, others }) => mean(own) + others / own.length)),
      },
    ];
  });
}
