import { predict, type CpuShare, type Prediction } from './bounds';
import type { Random } from '../../../analysis/statistics/random';
import { mean } from '../../../analysis/statistics/statistics';
import { fitUsl, MIN_SIZES, type ScalingPoint, type UslFit } from './usl';
import { workloadName } from '../../../plan/chosen-workload';
import type { Role, Topology } from '../../../plan/topology';
import { scarcestSlots, seen, type MeasuredSize } from './measurement';
import { sameBut, SCALES, type ScaleName } from './scale';

/** Measurements that differ in one size only. */
export interface Group {
  over: ScaleName;
  measurements: MeasuredSize[];
  points: ScalingPoint[];
}

/** Those that vary in this size, the one with the most different sizes first. */
export function groupsOf(measurements: readonly MeasuredSize[], over: ScaleName): Group[] {
  const groups = new Map<string, MeasuredSize[]>();
  for (const one of measurements) {
    if (SCALES[over].sizeOf(one.topology) === null) continue;
    const { workload, slo, machine, topology } = one;
    const key = JSON.stringify([
      workloadName(workload),
      workload.variant,
      workload.parameters,
      slo,
      machine.cpu,
      machine.cores,
      sameBut(over, topology),
    ]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()]
    .map((some) => ({ over, measurements: some, points: some.map((one) => pointOf(one, over)) }))
    .sort((a, b) => sizes(b).length - sizes(a).length || b.points.length - a.points.length);
}

export function sizes({ points }: Group): number[] {
  return [...new Set(points.map(({ n }) => n))].sort((a, b) => a - b);
}

const pointOf = ({ topology, ratePerSecond }: MeasuredSize, over: ScaleName): ScalingPoint => ({
  n: SCALES[over].sizeOf(topology) ?? 0,
  ratePerSecond,
});

export interface SizePrediction extends Prediction {
  over: ScaleName;
  n: number;
  group: Group;
  /** Or why there is none. */
  fit: UslFit | string;
  /** The topology at that size. */
  topology: Topology;
}

/** What a group of measurements says about a size, measured or not. */
export function answer(group: Group, n: number, random: Random): SizePrediction {
  const { over, measurements, points } = group;
  const [first] = measurements;
  if (first === undefined) throw new Error('a group has measurements');
  const topology: Topology = SCALES[over].resized(first.topology, n);
  const fit = fitUsl(points, random);
  const refused: string[] = [];
  const slots = slotsOf(topology, measurements);
  const milliseconds = seen(measurements.map((one) => one.cpuMillisecondsPerRequest));
  if (typeof slots === 'string') refused.push(slots);
  if (milliseconds === null) refused.push('no run has measured the CPU time per request');
  const prediction = predict({
    ...(typeof slots === 'string' ? {} : { slots }),
    cpu: [
      ...(milliseconds === null
        ? []
        : [
            {
              name: 'CPU' as const,
              cores: coresOf(topology, first),
              millisecondsPerRequest: milliseconds,
            },
          ]),
      ...rolesOf(topology, measurements),
    ],
    scaling: { fit, n, of: SCALES[over].title },
  });
  return {
    ...prediction,
    refused: [...prediction.refused, ...refused],
    over,
    n,
    group,
    fit,
    topology,
  };
}

const ROLE_NAMES = {
  main: 'CPU of main',
  worker: 'CPU of the workers',
  webhook: 'CPU of the webhook processors',
} as const satisfies Record<Role, CpuShare['name']>;

/** What one role has by itself: its limit, which its task runners share, or else one thread a process. */
function rolesOf(topology: Topology, measurements: readonly MeasuredSize[]): CpuShare[] {
  const { main, workers, webhooks } = topology;
  const [busiest] = [...measurements].sort((a, b) => b.ratePerSecond - a.ratePerSecond);
  const sizesOfRoles = [
    { role: 'main', count: 1, limit: main.cpuMillicores },
    { role: 'worker', count: workers.count, limit: workers.cpuMillicores },
    { role: 'webhook', count: webhooks.count, limit: webhooks.cpuMillicores },
  ] as const;
  return sizesOfRoles.flatMap(({ role, count, limit }) => {
    const kind = limit === undefined ? 'own' : 'withRunner';
    // What it uses without any load is shared by the most requests there.
    const value = busiest?.roleCpu[role]?.[kind];
    if (value === undefined) return [];
    const millisecondsPerRequest = { value, low: null, high: null };
    return [
      { name: ROLE_NAMES[role], cores: (count * (limit ?? 1000)) / 1000, millisecondsPerRequest },
    ];
  });
}

/**
 * What would have been said of each size, had it not been measured: the difference to what was. Of the
 * largest that is a prediction beyond what was measured.
 */
export function leftOut(group: Group, random: Random): { n: number; error: number }[] {
  return sizes(group).flatMap((n) => {
    const rest = group.measurements.filter((_, index) => group.points[index]?.n !== n);
    const points = group.points.filter((point) => point.n !== n);
    const measured = mean(
      group.points.filter((point) => point.n === n).map(({ ratePerSecond }) => ratePerSecond),
    );
    if (new Set(points.map((point) => point.n)).size < MIN_SIZES) return [];
    const { lowest } = answer({ ...group, measurements: rest, points }, n, random);
    return lowest === null ? [] : [{ n, error: lowest.ratePerSecond.value / measured - 1 }];
  });
}

type Slots = NonNullable<Parameters<typeof predict>[0]['slots']>;

/** Or why there is no such bound. */
function slotsOf(topology: Topology, measurements: readonly MeasuredSize[]): Slots | string {
  const [first] = measurements;
  if (first === undefined) throw new Error('a group has measurements');
  if (first.workload.answers === 'at-once') {
    return 'the workload responds at once, so its latency does not show how long a slot is held';
  }
  const slots = scarcestSlots(topology, first);
  if (slots === null) return 'regular mode has no worker slots';
  const heldSeconds = seen(measurements.map((one) => one.lightLatencySeconds));
  return heldSeconds === null
    ? 'no search used few enough clients to measure the latency without waiting time'
    : { ...slots, heldSeconds };
}

/** What n8n can get: its limits together, and never more than the machine has. */
function coresOf(topology: Topology, { machine }: MeasuredSize): number {
  const { mode, main, workers, webhooks } = topology;
  const all =
    mode === 'regular'
      ? [main.cpuMillicores]
      : [
          main.cpuMillicores,
          ...(workers.count > 0 ? [scaled(workers.cpuMillicores, workers.count)] : []),
          ...(webhooks.count > 0 ? [scaled(webhooks.cpuMillicores, webhooks.count)] : []),
        ];
  const known = all.filter((limit) => limit !== undefined);
  if (known.length < all.length) return machine.cores;
  return Math.min(machine.cores, known.reduce((sum, one) => sum + one, 0) / 1000);
}

const scaled = (millicores: number | undefined, count: number): number | undefined =>
  millicores === undefined ? undefined : millicores * count;
