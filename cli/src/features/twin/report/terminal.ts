/** What a twin is, for the terminal. Pure. */
import { counted, percent } from '../../../ui/numbers';
import type { Twin } from '../analysis/twin';
import type { TwinRow } from '../analysis/types';

export function twinLines({ rows, kept, request, notes }: Twin): string[] {
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
    `${counted(kept, 'node')} of the workflow ${kept === 1 ? 'runs' : 'run'} unchanged. The load is ${request.method} ${request.path}.`,
    ...notes,
  ];
}

interface BlendLine {
  name: string;
  weight: number;
}

export function blendLines(
  parts: readonly BlendLine[],
  left: readonly { name: string; why: string }[],
): string[] {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const width = Math.max(...parts.map(({ name }) => name.length));
  return [
    ...parts.map(
      ({ name, weight }) =>
        `${name.padEnd(width)}  ${percent(weight / total)} of the requests (${counted(weight, 'execution')} counted)`,
    ),
    ...left.map(({ name, why }) => `Left out: ${name}: ${why}`),
  ];
}
