import { predict, type Prediction } from '../analysis/predict';
import type { Random } from '../analysis/random';
import { fitUsl, type ScalingPoint, type UslFit } from '../analysis/usl';
import type { Topology } from '../plan/topology';
import { limitsOfRun } from '../run/limits';
import { seen, type Measurement } from './measurement';
import { sameBut, SCALES, type ScaleName } from './scale';

/** Measurements that differ in one size only. */
export interface Group {
  over: ScaleName;
  measurements: Measurement[];
  points: ScalingPoint[];
}

/** Those that vary in this size, the one with the most different sizes first. */
export function groupsOf(measurements: readonly Measurement[], over: ScaleName): Group[] {
  const groups = new Map<string, Measurement[]>();
  for (const one of measurements) {
    if (SCALES[over].sizeOf(one.topology) === null) continue;
    const { workload, slo, machine, topology } = one;
    const key = JSON.stringify([
      workload.name,
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

const pointOf = ({ topology, ratePerSecond }: Measurement, over: ScaleName): ScalingPoint => ({
  n: SCALES[over].sizeOf(topology) ?? 0,
  ratePerSecond,
});

export interface Answer extends Prediction {
  over: ScaleName;
  n: number;
  group: Group;
  /** Or why there is none. */
  fit: UslFit | string;
  /** Of the topology at that size. */
  topology: Topology;
}

/** What a group of measurements says about a size, measured or not. */
export function answer(group: Group, n: number, random: Random): Answer {
  const { over, measurements, points } = group;
  const [first] = measurements;
  if (first === undefined) throw new Error('a group has measurements');
  const topology: Topology = SCALES[over].resized(first.topology, n);
  const fit = fitUsl(points, random);
  const refused: string[] = [];
  const slots = slotsOf(topology, measurements);
  const milliseconds = seen(measurements.map((one) => one.cpuMillisecondsPerRequest));
  if (typeof slots === 'string') refused.push(slots);
  if (milliseconds === null) refused.push('no run has measured the CPU of a request');
  const prediction = predict({
    ...(typeof slots === 'string' ? {} : { slots }),
    ...(milliseconds === null
      ? {}
      : {
          cpu: { cores: coresOf(topology, first), millisecondsPerRequest: milliseconds },
        }),
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

type Slots = NonNullable<Parameters<typeof predict>[0]['slots']>;

/** The scarcer of the slots that an execution holds; or why there is no such bound. */
function slotsOf(topology: Topology, measurements: readonly Measurement[]): Slots | string {
  const [first] = measurements;
  if (first === undefined) throw new Error('a group has measurements');
  const { workload, machine } = first;
  const { workerSlots, runnerSlots } = limitsOfRun({
    measured: { fromMs: 0, toMs: 0 },
    topology,
    machine,
    sameMachine: true,
    latencyFloorMs: workload.latencyFloorMs,
    usesRunner: workload.variant !== 'load-target',
  });
  if (workload.answers === 'at-once') {
    return 'the workload answers at once, so its latency does not tell how long a slot is held';
  }
  const held = seen(measurements.map((one) => one.lightLatencySeconds));
  if (held === null) return 'no search tried so few clients that its latency is that of the work';
  // Only what waits in a Code node by design holds a runner's slot for its whole length.
  const runner = workload.latencyFloorMs > 0 ? runnerSlots : null;
  if (runner !== null && (workerSlots === null || runner < workerSlots)) {
    return { name: 'runner slots', count: runner, heldSeconds: held };
  }
  if (workerSlots === null) return 'regular mode has no worker slots';
  return { name: 'worker slots', count: workerSlots, heldSeconds: held };
}

/** What n8n can get: its limits together, and never more than the machine has. */
function coresOf(topology: Topology, { machine }: Measurement): number {
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
