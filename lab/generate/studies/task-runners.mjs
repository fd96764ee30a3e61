// The internal against the external task runner, in real pods.
import { has, link, number, readJson, spread, table } from '../records.ts';

export function taskRunners() {
  const modes = ['regular', 'queue'].filter((mode) => has(pathOf(mode)));
  if (modes.length === 0) return '';
  return `## Internal and external task runner

Both in real pods with the same total memory, in turns: medians of the turns, and from the least to the most. The external
one runs with a stand-in for n8n's launcher ([what that is](docs/chart/task-runners.md#what-is-tested)). Then the workflow
\`memory-hog\` builds 512 MB every 5 s beside Code nodes of 5 s.

${modes.map(partOf).join('\n\n')}`;
}

const pathOf = (mode) => `studies/task-runners/results/${mode}.json`;
const SIDES = ['internal', 'external'];

function partOf(mode) {
  const { blocks, loads, clients, turnSeconds, beside } = readJson(pathOf(mode));
  const turns = (side, workload) =>
    blocks.flatMap(({ sides }) => sides[side].turns.filter((turn) => turn.workload === workload));
  const rows = loads.flatMap(({ workload }) => {
    const internal = turns('internal', workload);
    return SIDES.map((side) => {
      const own = turns(side, workload);
      const of = (key) => own.map((turn) => turn[key]);
      const pairs = own.slice(0, internal.length);
      return [
        workload,
        side,
        own.length,
        `${spread(of('ratePerSecond'))}/s`,
        spread(pairs.map((turn, i) => turn.ratePerSecond / internal[i].ratePerSecond)),
        `${spread(of('p95Ms'))} ms`,
        `${spread(of('cpuMillisecondsPerRequest'))} ms`,
        `${spread(of('memoryMiB'))} MiB`,
        own.reduce((sum, turn) => sum + turn.wrong + turn.unanswered, 0),
      ];
    });
  });
  const hogs = SIDES.flatMap((side) => {
    const seen = blocks.flatMap(({ sides }) => sides[side].hog ?? []);
    if (seen.length === 0) return [];
    const sum = (key) => seen.reduce((total, hog) => total + hog[key], 0);
    const died = [...new Set(seen.flatMap(({ outOfMemory }) => outOfMemory))].toSorted();
    return [
      [
        side,
        seen.length,
        sum('requests'),
        sum('wrong') + sum('unanswered'),
        sum('restarts'),
        died.join(', ') || 'none',
      ],
    ];
  });
  return `### In ${mode} mode

${clients} clients, turns of ${turnSeconds} s.

${table(['workload', 'runner', 'turns', 'expected responses', 'of internal', 'p95', 'CPU of all containers per request', 'memory of all containers', 'errors'], rows)}

Beside the hog, ${beside.clients} clients on ${beside.workload} for ${number(beside.seconds)} s:

${table(['runner', 'times', 'requests', 'without the expected response', 'restarts of containers', 'killed for memory'], hogs)}

${link(pathOf(mode))}`;
}
