// What the command prints, from a search that is recorded here.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiled } from '../compiled.mjs';
import { root } from '../results/records.mjs';

const RECORD = 'studies/capacity/results/last-node/find.json';
const LINES = ['Capacity', 'Plan with', 'Limited by'];

export async function output() {
  const { readSearch, renderFindTerminal } = await compiled(
    `export { readSearch } from './record/read-find';
     export { renderFindTerminal } from './report/find/terminal';`,
  );
  const record = readSearch(dirname(fileURLToPath(new URL(RECORD, root))));
  const lines = renderFindTerminal(record, { width: 200, colour: false })
    .split('\n')
    .filter((line) => LINES.some((name) => line.startsWith(`${name}  `)));
  if (lines.length !== LINES.length)
    throw new Error(`${RECORD} has not all of ${LINES.join(', ')}`);
  const slo = record.slo.map(({ text }) => `--slo '${text}'`).join(' ');
  const { cores, cpu } = record.machine;
  return `\`\`\`console
$ npx n8n-tuned find --workload ${record.workload.name} ${slo}
${lines.join('\n')}
\`\`\`

n8n ${record.versions.n8n} in ${record.topology.mode} mode with SQLite on ${cores} cores (${cpu.replaceAll('(R)', '')}), load
generator included, on ${record.startedAt.slice(0, 10)}: [record](${RECORD}).`;
}
