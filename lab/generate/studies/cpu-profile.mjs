// Where the CPU of a request goes, by process and by package.
import { has, link, namesIn, number, readJson, table } from '../records.ts';

const FOLDER = 'studies/cpu-profile/results';
/** A group below this share of what a process did is summed up with the others. */
const MIN_SHARE = 0.02;
/** The functions shown of each process. */
const FUNCTIONS = 6;
const IDLE = 'idle';
const ROLES = {
  main: 'main',
  webhook: 'webhook processor',
  worker: 'worker',
  runner: 'task runner',
};

export function cpuProfiles() {
  const files = has(FOLDER) ? namesIn(FOLDER).filter((name) => name.endsWith('.json')) : [];
  if (files.length === 0) return '';
  const records = files.map((file) => ({
    path: `${FOLDER}/${file}`,
    ...readJson(`${FOLDER}/${file}`),
  }));
  const [{ clients, versions, machine }] = records;
  return `## Where the CPU of a request goes

The thread of each process, looked at once a millisecond while ${clients} clients wait for their responses, n8n ${versions.n8n} with
the chart's defaults on ${machine.cores} cores (${machine.cpu}). Native code counts for the package that called it. The profile
itself takes some of the time: read shares, not rates.

${records.map(partOf).join('\n\n')}`;
}

function partOf({ path, mode, workload, responses, seconds, processes }) {
  const busy = processes.map((process) => ({ ...process, busyMs: busyOf(process) }));
  const rows = busy
    .toSorted((a, b) => b.busyMs - a.busyMs)
    .map((process) => [
      ROLES[process.role],
      `${number((100 * process.busyMs) / process.threadMs)}%`,
      `${number(process.busyMs / responses)} ms`,
      shares(process),
      process.functions
        .slice(0, FUNCTIONS)
        .map(({ name, ms }) => `${name}: ${number((100 * ms) / process.busyMs)}%`)
        .join('<br>'),
    ]);
  return `### ${workload} in ${mode} mode, ${number(responses / seconds)} responses per second

${table(
  [
    'process',
    'busy',
    'for a response',
    'of what it did, by package',
    'of what it did, by function (first the most)',
  ],
  rows,
)}

${link(path)}`;
}

const busyOf = ({ threadMs, groups }) =>
  threadMs - (groups.find(({ name }) => name === IDLE)?.ms ?? 0);

function shares(process) {
  const busyMs = busyOf(process);
  const groups = process.groups.filter(({ name }) => name !== IDLE);
  const shown = groups.filter(({ ms }) => ms / busyMs >= MIN_SHARE);
  const rest = groups.filter((one) => !shown.includes(one));
  const share = (ms) => `${number((100 * ms) / busyMs)}%`;
  const others = rest.reduce((sum, { ms }) => sum + ms, 0);
  return [
    ...shown.map(({ name, ms }) => `${name}: ${share(ms)}`),
    ...(rest.length === 0 ? [] : [`${rest.length} others: ${share(others)}`]),
  ].join('<br>');
}
