// What the command prints, from a search that is recorded here.
import { dirname } from 'node:path';
import { readFind } from '../../../cli/src/features/find/read';
import type { FindRecord } from '../../../cli/src/features/find/record';
import { findVerdict } from '../../../cli/src/features/find/report/document';
import { findFigures } from '../../../cli/src/features/find/report/figures';
import { renderRows, renderVerdict } from '../../../cli/src/report/text/terminal';
import { repeatCommand } from '../../../cli/src/report/text/units';
import { hrefOf, unpacked } from '../records';

const RECORD = 'studies/capacity/results/items/find.json';
const FIGURES = ['Capacity', 'Plan with', 'Speed', 'Limited by'];
const STYLE = { width: 100, colour: false };

export const output = (): string => outputOf(readFind(unpacked(dirname(RECORD))), RECORD);

/** A search that is not sure of its answer is nothing to show first. */
export function outputOf(record: FindRecord, path: string): string {
  if (record.verdict !== 'found') {
    throw new Error(
      `${path} is ${record.verdict}: the README shows a search that found its answer`,
    );
  }
  const figures = findFigures(record).filter(({ name }) => FIGURES.includes(name));
  if (figures.length !== FIGURES.length)
    throw new Error(`${path} has not all of ${FIGURES.join(', ')}`);
  const { cores, cpu } = record.machine;
  const arrivals = record.arrivals === undefined ? '' : `, ${record.arrivals} arrivals`;
  return `\`\`\`console
$ ./${repeatCommand(withoutFolder(record.command))}
${[...renderVerdict(findVerdict(record), STYLE), '', ...renderRows(figures, STYLE)].join('\n')}
\`\`\`

n8n ${record.versions['n8n'] ?? ''} in ${record.topology?.mode ?? ''} mode with SQLite on ${cores} cores (${cpu.replaceAll('(R)', '')}), load
generator included${arrivals}, on ${record.startedAt.slice(0, 10)}: [record](${hrefOf(path)}).`;
}

/** Where the results went says nothing of what was measured. */
function withoutFolder(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--out');
  return at === -1 ? words : words.toSpliced(at, 2);
}
