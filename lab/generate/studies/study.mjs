// What a study says of itself, and the sweeps that were kept of it.
import { parse } from 'yaml';
import { has, namesIn, number, read, readJson } from '../records.ts';

/** Of a study: the published figures by their ids. */
export const publishedBy = (name) =>
  Object.fromEntries(publishedOf(name).map(({ id, value }) => [id, value]));

export const publishedOf = (name) => parse(read(`studies/${name}/study.yaml`)).published ?? [];

/** Where the record of a study lies, the full one before the quick one; null: there is none. */
export function recordOf(name) {
  const full = `studies/${name}/results`;
  return [full, `${full}/quick`].find((folder) => has(`${folder}/study.json`)) ?? null;
}

/** What was kept of a study that is measured in parts, with the path of each; of the full form before the quick one. */
export function partsOf(name, within = '') {
  const full = `studies/${name}/results`;
  const folder = [full, `${full}/quick`].map((one) => `${one}/${within}parts`).find(has);
  if (folder === undefined) return [];
  return namesIn(folder).map((file) => ({
    path: `${folder}/${file}`,
    ...readJson(`${folder}/${file}`),
  }));
}

/** A quick run shows that a study works, and answers nothing. */
export const areQuick = (parts) => parts.some(({ path }) => path.includes('/quick/'));
export const ONLY_QUICK = { sentence: 'Not answered yet: only a quick run is recorded.' };

/** When and where parts were measured, in a sentence. */
export function measuredOn(parts) {
  const days = [...new Set(parts.map(({ startedAt }) => startedAt.slice(0, 10)))].toSorted();
  const { machine, versions } = parts[0];
  const loads = parts.map(({ loadAverageAtStart }) => loadAverageAtStart);
  const how = areQuick(parts) ? 'A quick run of a few of its parts' : 'Measured once';
  return `${how} on ${days.join(', ')} with n8n ${versions.n8n} on ${machine.cores} cores (${machine.cpu}), load average at the start of a part ${number(Math.min(...loads))} to ${number(Math.max(...loads))}.`;
}

/** The cells of a kept sweep with their runs, those of the control left out. */
export const cellsOf = (folder) => allCellsOf(folder).filter(({ isControl }) => !isControl);
/** The same topology, measured from time to time. */
export const controlsOf = (folder) => allCellsOf(folder).filter(({ isControl }) => isControl);

function allCellsOf(folder) {
  return namesIn(`${folder}/cells`).map((name) => {
    const path = `${folder}/cells/${name}`;
    const cell = readJson(`${path}/cell.json`);
    const file = `${path}/${cell.run}/run.json`;
    const memory = `${path}/${cell.run}/memory.csv`;
    return {
      ...cell,
      memory: cell.run !== null && has(memory) ? memory : null,
      record: cell.run !== null && has(file) ? readJson(file) : null,
    };
  });
}

/** [[second, sum]] of a metric over all processes of a role, from the memory.csv of a run. */
export function seriesOf(file, role, metric) {
  const sums = new Map();
  for (const line of read(file).trim().split('\n').slice(1)) {
    const [tMs, ofRole, , name, value] = line.split(',');
    if (ofRole !== role || name !== metric) continue;
    const second = Math.round(Number(tMs) / 1000);
    sums.set(second, (sums.get(second) ?? 0) + Number(value));
  }
  return [...sums];
}

/**
 * Cores that neither the load generator nor what was loaded used: other work on the machine, and the command itself, which
 * reads a line for each response.
 */
export function otherCores({ summary }) {
  const of = (role) => summary.roles.find((one) => one.role === role)?.cpuCoresMean ?? 0;
  const host = of('host');
  const known = summary.roles
    .filter(({ role }) => role !== 'host')
    .reduce((sum, { cpuCoresMean }) => sum + (cpuCoresMean ?? 0), 0);
  return Math.max(0, host - known);
}

/**
 * Cores of other work from which on a rate says more about it than about what was loaded. The command itself takes 0.22 to
 * 0.29 where 2,700 to 3,900 responses come per second and nothing else runs (studies/limits, studies/memory-over-time).
 */
const DISTURBED_FROM = 0.5;
export const isQuiet = ({ others }) => others < DISTURBED_FROM;

/** The folder of the first sweep in the record of a study. */
export const sweepIn = (folder) =>
  namesIn(folder)
    .map((name) => `${folder}/${name}`)
    .find((path) => has(`${path}/sweep.json`));

/** The folder of a sweep by its name, of whichever length, in the record of a study; null: there is none. */
export function sweepOf(study, name) {
  const folder = recordOf(study);
  return (
    [name, `${name}-quick`]
      .map((one) => `${folder}/${one}`)
      .find((path) => has(`${path}/sweep.json`)) ?? null
  );
}

/** How one run came to be, in a sentence. */
export const runConditionsText = ({ startedAt, machine, profile }) =>
  `Runs of ${number(profile.durationSeconds)} s on ${startedAt.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}).`;

/** How a record came to be, in a sentence. */
export function conditionsText(folder) {
  const { length, machine, seconds, loadAverageAtStart, startedAt } = readJson(
    `${folder}/study.json`,
  );
  const how = length === 'quick' ? 'A quick run' : 'A full run';
  return `${how} of ${number(seconds / 60)} minutes on ${startedAt.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}), load average ${number(loadAverageAtStart)} at the start.`;
}
