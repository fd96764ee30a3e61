/** What a twin is, for the terminal. Pure. */
import { counted } from '../../../ui/numbers';
import type { Twin } from '../analysis/twin';
import type { TwinRow } from '../analysis/types';

export function twinLines({ rows, kept, request }: Twin): string[] {
  const table: TwinRow[] = [
    { node: 'node', talksTo: 'talks to', inTest: 'in the test', recordedFrom: 'recorded from' },
    ...rows,
  ];
  const width = (key: keyof TwinRow): number => Math.max(...table.map((row) => row[key].length));
  const keys = ['node', 'talksTo', 'inTest', 'recordedFrom'] as const;
  return [
    ...table.map((row) =>
      keys
        .map((key) => row[key].padEnd(width(key)))
        .join('  ')
        .trimEnd(),
    ),
    '',
    `${counted(kept, 'node')} of the workflow ${kept === 1 ? 'runs' : 'run'} as ${kept === 1 ? 'it is' : 'they are'}. The load is ${request.method} ${request.path}.`,
  ];
}
