// The parts of the plan that measures the target kubernetes, and the target process at the same limits: each is one call
// of the command. Pure.
import type { Part } from '../../cli/src/features/study/study';

/**
 * The limit of every process of n8n, on both targets: so little that n8n runs out of it before a machine of two cores does. Alone
 * as in the comparison of charts; in queue mode three of them and their stores share the machine.
 */
const LIMITS = {
  regular: ['--cpu', '1000m', '--memory', '1Gi'],
  queue: ['--cpu', '500m', '--memory', '1Gi'],
};

/**
 * A search finds the rate from which on one of these is missed. With a CPU limit of one core a garbage collection stops main
 * for up to about a second, a few times a minute, as V8's helpers take what the control group may use. A limit of 300 ms or
 * of 1 s is then met or missed by how many of them fall into a probe, whatever the rate is; at a limit of two the rate decides.
 */
const SLO = ['--slo', 'p95<2s', '--slo', 'errors<1%'];

/** How n8n is laid out, by mode. */
export const LAYOUTS = {
  regular: ['--mode', 'regular'],
  queue: ['--mode', 'queue', '--workers', '1', '--webhooks', '1'],
};
export type Mode = keyof typeof LAYOUTS;
export const MODES = Object.keys(LAYOUTS) as Mode[];
type Target = 'process' | 'kubernetes';

export type PlannedPart = Part & { target: Target } & (
    | { kind: 'find' | 'run'; mode: Mode }
    /** It rests on the search of this name. */
    | { kind: 'prove'; needs: string }
    | { kind: 'sweep' }
  );

/** What is told apart from the target: the two searches of a mode have all of it in common. */
const laidOut = (mode: Mode): string[] => [
  ...[...LAYOUTS[mode], ...LIMITS[mode], '--tuning', 'default', '--workload', 'last-node'],
  // A pod of the load generator has no other limit than a process has.
  ...['--generator-cpus', '1', '--ready', '300s'],
];

/** The time that a search measures for; before and after it n8n is deployed and removed. */
const BUDGET = '9m';
/** Modest: an execution in queue mode takes about 20 ms of CPU (studies/modes), which two processes share. */
const RUN_RATE = 15;

const find = (mode: Mode, target: Target, seconds: number): PlannedPart => ({
  ...{ name: `find-${mode}-${target}`, kind: 'find', mode, target, seconds },
});

/** What the proof rests on. */
const EVIDENCE = 'find-regular-kubernetes';

/** In the order of their worth. Seconds: about, deployment and removal included. */
export const PARTS: PlannedPart[] = [
  find('regular', 'kubernetes', 625),
  find('regular', 'process', 520),
  find('queue', 'kubernetes', 655),
  find('queue', 'process', 540),
  { name: 'run-queue', kind: 'run', mode: 'queue', target: 'kubernetes', seconds: 170 },
  { name: 'prove', kind: 'prove', target: 'kubernetes', seconds: 200, needs: EVIDENCE },
  { name: 'sweep-tuning-cpu', kind: 'sweep', target: 'kubernetes', seconds: 520 },
];

/** Parts of the study charts, in which this chart as it comes is compared with the official one: not measured twice. */
export const COMPARED = MODES.map((mode) => `last-node-${mode}-tuned`);

interface Call {
  /** Folder of results. */
  out: string;
  /** Folder with the search that a proof rests on. */
  evidence: string;
  /** The part is tried, not measured. */
  isShort: boolean;
}

/** The call of the command, from the root of the repository. */
export const commandOf = (part: PlannedPart, call: Call): string[] => [
  ...[part.kind === 'prove' ? 'recommend' : part.kind, '--target', part.target],
  ...[...argumentsOf(part, call), '--out', call.out],
];

function argumentsOf(part: PlannedPart, { out, evidence, isShort }: Call): string[] {
  switch (part.kind) {
    case 'find':
      return [...laidOut(part.mode), ...SLO, '--budget', isShort ? '40s' : BUDGET];
    case 'run':
      return [
        ...[...laidOut(part.mode), ...SLO, '--rate', String(RUN_RATE)],
        ...['--warmup', isShort ? '2s' : '8s', '--duration', isShort ? '6s' : '30s'],
      ];
    case 'prove':
      return [
        ...['--from', evidence, '--prove', '--write', valuesIn(out), '--ready', '300s'],
        ...(isShort ? ['--duration', '10s', '--attempts', '1'] : ['--attempts', '2']),
      ];
    case 'sweep':
      return ['-f', 'studies/kubernetes/sweep.yaml', ...(isShort ? ['--quick'] : [])];
  }
}

/** The file in which the proof leaves the values that it deployed. */
export const valuesIn = (out: string): string => `${out}/values.yaml`;
