// docs/terminal/*.svg: what the command prints about records of this repository.
import { readComparison } from '../../cli/src/features/compare/record';
import { compareDocument } from '../../cli/src/features/compare/report/document';
import { readFind } from '../../cli/src/features/find/read';
import { findDocument } from '../../cli/src/features/find/report/document';
import { readRun } from '../../cli/src/record/read-run';
import { renderTerminal } from '../../cli/src/report/text/terminal';
import { runDocument } from '../../cli/src/run/report/document';
import { unpacked, type Generated } from './records';
import { terminalSvg } from './terminal-svg';

const STYLE = { width: 96, colour: true };

const slos = ({ slo }: { slo: { text: string }[] }): string =>
  slo.map(({ text }) => `--slo '${text}'`).join(' ');

/** What is typed today to measure the same: records keep the options of their day. */
export function terminals(): Generated {
  const run = readRun(unpacked('studies/proof/results/recommended'));
  const search = readFind(unpacked('studies/capacity/results/last-node'));
  const compared = readComparison(unpacked('studies/comparisons/results/last-node-regular'));
  const clients = compared.command[compared.command.indexOf('--vus') + 1] ?? '';
  return {
    files: {
      'docs/terminal/run.svg': terminalSvg({
        command: `n8n-tuned run --workload ${run.workload.name} --rate ${String(run.profile.ratePerSecond)} --duration ${String(run.profile.durationSeconds)}s \\\n  ${slos(run)}`,
        output: renderTerminal(runDocument({ record: run }), STYLE),
      }),
      'docs/terminal/find.svg': terminalSvg({
        command: `n8n-tuned find --workload ${search.workload.name} ${slos(search)} --budget ${String(search.budgetSeconds)}s`,
        output: renderTerminal(findDocument(search), STYLE),
      }),
      'docs/terminal/compare.svg': terminalSvg({
        command: `n8n-tuned compare ${compared.a.name}.yaml ${compared.b.name}.yaml --workload ${compared.workload.name} --vus ${clients}`,
        output: renderTerminal(compareDocument(compared), STYLE),
      }),
    },
  };
}
