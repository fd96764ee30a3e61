import { MACHINES, type MachineName } from './machine';
import { rowOf } from './quality';
import { truthOf } from './truth';

/**
 * Run by plain Node: inside Jest's context every use of Math is a hundred times slower. `row 14 mild 300` makes so many
 * searches of that machine in so many seconds; `truth 200` prints what truth.json holds, of so many runs at each rate.
 */
const [, , what, count, machine, budgetSeconds] = process.argv;
const truths = (runs: number): Record<string, unknown> =>
  Object.fromEntries(
    (Object.keys(MACHINES) as MachineName[]).map((name) => [name, truthOf(name, runs)]),
  );
const result =
  what === 'truth'
    ? truths(Number(count))
    : rowOf(machine as MachineName, Number(budgetSeconds), Number(count));
process.stdout.write(JSON.stringify(result));
