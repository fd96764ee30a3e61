/** What was measured, exactly: enough to build it again. */
import type { Machine, RunRecord } from '../record/run-record';
import type { RecordedWorkload } from '../plan/recorded';
import { deployedRoles, kitEnvironment } from '../plan/chart-values';
import { limitsOf, type Topology } from '../plan/topology';
import { inForceText, patchesText, type PatchStates } from '../record/patches';
import { counted, formatNumber } from '../ui/numbers';
import { figures, section, type Section } from './document';
import { utc, type Figure } from './text/units';

/** What every record of a measurement names. */
type Measured = Pick<RunRecord, 'id' | 'startedAt' | 'workload' | 'slo' | 'machine' | 'versions'>;
type Deployed = Measured & Pick<RunRecord, 'target' | 'topology' | 'patches'>;

/** The workload in words, its request, and when it was measured. */
export function subtitle(
  { workload, startedAt }: Pick<RunRecord, 'workload' | 'startedAt'>,
  ...more: readonly string[]
): string {
  const { title, method, path } = workload;
  const request = `${method} ${path}`;
  // A request of your own has itself for a title.
  const named = title === request ? [title] : [title, request];
  return [...named, ...more, utc(startedAt)].join(', ');
}

type Ran = Pick<RunRecord, 'machine' | 'versions'> & {
  topology: Topology | null;
  patches?: PatchStates;
};

/** What it ran on, in one line: n8n, what the kit changes in it, and the machine. */
export const ranOn = ({ topology, versions, machine, patches }: Ran): string =>
  [n8nText(topology, versions['n8n'], patches), placeText(machine)]
    .filter((text) => text !== '')
    .join('; ');

/** The part that differs between the sides of a comparison; `states` where n8n showed which patches are in force. */
export function n8nText(
  topology: Topology | null,
  version: string | undefined,
  states: PatchStates = {},
): string {
  const n8n = version ?? topology?.n8n;
  const name = n8n === undefined ? '' : `n8n ${n8n}`;
  if (topology === null)
    return [name, ...inForceIn(states)].filter((text) => text !== '').join(', ');
  const { mode, workers } = topology;
  const layout =
    mode === 'queue' ? `queue mode, ${counted(workers.count, 'worker')}` : 'regular mode';
  return [name, layout, kitText(topology, states)].join(', ');
}

const inForceIn = (states: PatchStates): string[] =>
  Object.values(states).some((patches) => Object.keys(patches).length > 0)
    ? [inForceText(states)]
    : [];

/** What is changed in n8n: `tuning default plus 2 variables, 8 of 8 patches in force`. */
export function kitText(topology: Topology, states: PatchStates = {}): string {
  const [inForce] = inForceIn(states);
  const own = ownVariables(topology);
  const plus = own === 0 ? '' : ` plus ${counted(own, 'variable')}`;
  if (topology.tuning === 'none')
    return [`${DEFAULT_SETTINGS}${plus}`, ...(inForce === undefined ? [] : [inForce])].join(', ');
  const loaded = `${counted(patchesOf(topology).length, 'patch', 'patches')} loaded`;
  return `tuning ${topology.tuning}${plus}, ${inForce ?? loaded}`;
}

/** Number of variables that a user set, each counted once however many roles have it. */
const ownVariables = (topology: Topology): number =>
  new Set(
    [topology.env, ...deployedRoles(topology).map((role) => limitsOf(topology, role).env)].flatMap(
      (env) => Object.keys(env),
    ),
  ).size;

export const DEFAULT_SETTINGS = "n8n's default settings";

export const placeText = ({ cpu, cores, memoryMiB }: Machine): string =>
  `${counted(cores, 'core')} of ${cpu} with ${formatNumber(memoryMiB / 1024)} GiB`;

/** Scripts of the kit that are loaded before n8n; each looks for itself whether it knows what it finds. */
export const patchesOf = (topology: Topology): string[] => [
  ...new Set(
    deployedRoles(topology)
      .flatMap((role) => kitEnvironment(topology, role).patches)
      .map((file) => file.replace(/\.cjs$/, '')),
  ),
];

export const measured = (...rows: readonly Figure[]): Section =>
  section('Exactly what was measured', figures(rows));

/** All of a record that has one target and one topology. */
export const conditionsOf = (record: Deployed): Section =>
  measured(
    { name: 'Target', value: `${record.target.kind}, ${record.target.url}` },
    ...Object.entries('server' in record.target ? (record.target.server ?? {}) : {})
      .filter(([name, value]) => name !== 'url' && !isEmpty(value))
      .map(([name, value]) => ({ name: `Server: ${name}`, value: inWords(value) })),
    ...measuredFigures(record),
    ...topologyFigures(record.topology, record.patches),
  );

/** `states`: as n8n showed them; left out, the patches are those that it loads. */
export function topologyFigures(topology: Topology | null, states?: PatchStates): Figure[] {
  const shown = states === undefined ? null : patchesText(states);
  if (topology === null) return shown === null ? [] : [{ name: 'Patches', value: shown }];
  const loaded = patchesOf(topology).join(', ');
  return [
    ...Object.entries(topology)
      .filter(([, value]) => value !== undefined && !isEmpty(value))
      .map(([key, value]) => ({ name: `Topology: ${key}`, value: inWords(value) })),
    { name: 'Patches', value: shown ?? (loaded === '' ? 'none' : loaded) },
  ];
}

/** All but where it ran and how that was laid out. */
export const measuredFigures = (record: Measured): Figure[] => [
  { name: 'Workload', value: workloadText(record.workload) },
  sloFigure(record.slo.map(({ text }) => text)),
  ...hostFigures(record),
];

export const hostFigures = ({
  machine,
  versions,
  startedAt,
  id,
}: Pick<RunRecord, 'machine' | 'versions' | 'startedAt' | 'id'>): Figure[] => [
  { name: 'Machine', value: machineText(machine) },
  ...Object.entries(versions).map(([name, value]) => ({ name: `Version of ${name}`, value })),
  { name: 'Began', value: utc(startedAt) },
  { name: 'Record', value: id },
];

export function workloadText({ name, variant, parameters }: RecordedWorkload): string {
  const given = Object.entries(parameters).map(([key, value]) => `${key}=${String(value)}`);
  return [name, variant, ...given].filter(Boolean).join(', ');
}

export const sloFigure = (slo: readonly string[]): Figure => ({
  ...{ name: 'SLO', value: slo.length === 0 ? 'none given' : slo.join(', ') },
});

export const machineText = ({ cpu, cores, memoryMiB, os }: Machine): string =>
  `${cpu}, ${String(cores)} cores, ${String(memoryMiB)} MiB, ${os}`;

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

export function inWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .filter(([, part]) => !isEmpty(part))
    .map(
      ([key, part]) => `${key} ${typeof part === 'object' ? JSON.stringify(part) : String(part)}`,
    )
    .join(', ');
}
