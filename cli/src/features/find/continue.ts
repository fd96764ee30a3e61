/** Adds minutes to a search that is recorded: the same system under the same load, and every probe of before counts. */
import { isDeepStrictEqual } from 'node:util';
import type { Arrivals } from '../../../../loadtests/lib/profile';
import type { RecordedWorkload } from '../../plan/recorded';
import { workloadName } from '../../plan/chosen-workload';
import type { Topology } from '../../plan/topology';
import type { Machine, Summary } from '../../record/run-record';
import { repeatCommand } from '../../report/text/units';
import { Mistake } from '../../ui/exit';
import type { Trial } from './analysis/types';
import { foldersOfFinds, readFind, runOfFind } from './read';
import type { FindProbe, FindRecord } from './record';
import { criticalOf } from './traces/trace-of';
import { trialOf } from './traces/trial';

/** A search to go on with, and where it lies. */
export interface EarlierSearch {
  folder: string;
  record: FindRecord;
}

export function readEarlier(path: string): EarlierSearch {
  const [folder, another] = foldersOfFinds(path);
  if (folder === undefined) {
    throw new Mistake(
      `--continue: there is no search in ${path}: specify the folder that contains find.json.`,
    );
  }
  if (another !== undefined) {
    throw new Mistake(
      `--continue: ${path} contains several searches: specify the folder of one of them.`,
    );
  }
  return { folder, record: readFind(folder) };
}

/** What its probes tell, as if they had just been made. */
export function trialsOf({ probes, slo, topology, machine }: FindRecord): Trial[] {
  const critical = criticalOf(probes, { topology, machine });
  return probes.map((probe) => trialOf(probe, slo, critical));
}

/** The summaries of its runs that are still there, by the folder of each. */
export function summariesOf({ folder, record: { probes } }: EarlierSearch): [string, Summary][] {
  return probes.flatMap(({ run }): [string, Summary][] => {
    const known = runOfFind(folder, run);
    return known === null ? [] : [[run, known.summary]];
  });
}

/** What is searched now; what is left out is not known yet. */
export interface SearchedNow {
  workload?: RecordedWorkload;
  slo?: FindRecord['slo'];
  arrivals?: Arrivals;
  target?: FindRecord['target'];
  topology?: Topology | null;
  machine?: Machine;
}

/** Throws a Mistake that names all in which they differ. */
export function refuseOther({ folder, record }: EarlierSearch, now: SearchedNow): void {
  const other = differences(record, now);
  if (other.length === 0) return;
  throw new Mistake(
    `--continue: the search in ${folder} was made with ${other.join(', and with ')}. Use the same options, or start a new search without --continue.`,
  );
}

function differences(record: FindRecord, now: SearchedNow): string[] {
  const { workload, slo, arrivals, target, topology, machine } = now;
  const slos = (all: FindRecord['slo']): string => all.map(({ text }) => text).join(', ');
  const speed = ({ cpu, cores }: Machine): string => `${String(cores)} cores of ${cpu}`;
  return [
    ...changed('the workload', record.workload, workload, workloadName),
    ...changed('the SLO', record.slo, slo, slos),
    ...changed('the arrivals', record.arrivals, arrivals, String),
    ...changed('the target', placeOf(record.target), target && placeOf(target), String),
    ...changed('another topology', record.topology, topology, () => null),
    ...changed('the machine', speed(record.machine), machine && speed(machine), String),
  ];
}

/** n8n has another port of this machine each time. */
const placeOf = ({ kind, url }: FindRecord['target']): string =>
  kind === 'url' || kind === 'server' ? `${kind} at ${url}` : kind;

function changed<Value>(
  name: string,
  before: Value | undefined,
  now: Value | undefined,
  text: (value: Value) => string | null,
): string[] {
  if (now === undefined || before === undefined || isSame(before, now)) return [];
  const was = text(before);
  const is = text(now);
  // The same name for two: what differs is in its parameters.
  if (was === null || is === null) return [name];
  return was === is ? [`other parameters of ${name} ${was}`] : [`${name} ${was}, not ${is}`];
}

/** Compares them as read from a record: without what is left out, in whatever order. */
const isSame = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));

/** How to go on with a search, as the user would type it. */
export function continueCommand(command: readonly string[], folder: string): string {
  const kept = command.filter((word, index) => {
    const isNamed = /^--(continue|out)(=|$)/.test(word);
    return !isNamed && !/^--(continue|out)$/.test(command[index - 1] ?? '');
  });
  return repeatCommand([...kept, '--continue', folder]);
}

/** The length of full probes is that of before, or the new ones would be of another kind. */
export function fullSecondsOf(probes: readonly FindProbe[]): number | null {
  const full = probes.filter(({ kind }) => kind === 'confirm');
  return full.length === 0 ? null : Math.max(...full.map((probe) => probe.durationSeconds));
}
