import type { Topology } from '../../../plan/topology';
import type { Cell } from '../plan/cells';
import { isServerCell, topologyOf } from '../plan/plan-cells';
import type { CellRecord, SweepRecord } from '../record';
import { hostFigures, kitText, measured, placeText } from '../../../report/conditions';
import {
  firstOf,
  list,
  paragraph,
  plots,
  section,
  table,
  type ReportDocument,
  type ShownVerdict,
  type Tone,
} from '../../../report/document';
import { repeatCommand, utc } from '../../../report/text/units';
import { firstChartId, sweepCharts } from './charts';
import { bestAnswer, decisionFigures, sizesOf } from './decision';
import {
  controlFigure,
  crashes,
  sweepDoubts,
  sweepFigures,
  sweepLimits,
  sweepSentence,
  sweepSure,
  sweepTable,
} from './figures';

const CELLS = 'Each measurement has its own report in the folder cells/ next to the record.';

/** More of them are in the table of all cells. */
const MAX_KITS = 3;

/** What cells have in common or differ in: `n8n 2.41.1, queue mode, n8n's default settings or tuning default, 8 patches loaded`. */
function n8nOfCells(sweep: SweepRecord, records: readonly CellRecord[]): string {
  const ran = records.filter(({ run }) => run !== null);
  const cells: readonly Pick<CellRecord, 'cell' | 'patches'>[] = ran.length > 0 ? ran : sweep.steps;
  const known = cells.flatMap(({ cell, patches }) => {
    const topology = knownTopology(cell);
    return topology === null ? [] : [{ topology, patches }];
  });
  const versions = ran.flatMap(({ versions: { n8n } }) => n8n ?? []);
  const modes = known.map(({ topology }) => `${topology.mode} mode`);
  const kits = [...new Set(known.map(({ topology, patches }) => kitText(topology, patches)))];
  return [
    ...[versions.map((version) => `n8n ${version}`), modes].map((all) => inWords(all)),
    kits.length > MAX_KITS ? `${String(kits.length)} tunings or states of patches` : inWords(kits),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

const inWords = (all: readonly string[]): string => [...new Set(all)].join(' or ');

/** Null of a server that is not n8n, and of a cell whose words this version does not know any more. */
function knownTopology(cell: Cell): Topology | null {
  if (isServerCell(cell)) return null;
  try {
    return topologyOf(cell);
  } catch {
    return null;
  }
}

export function sweepVerdict(sweep: SweepRecord, records: readonly CellRecord[]): ShownVerdict {
  const isDone = records.length === sweep.steps.length;
  return {
    ...(isDone
      ? { tone: toneOf(sweep, records), word: 'DONE' }
      : { tone: 'unsure', word: 'STOPPED' }),
    sentence: sweepSentence(sweep, records),
  };
}

/** It follows the answer: which cell is the smallest that sustains the given rate, or the best one. */
function toneOf(sweep: SweepRecord, records: readonly CellRecord[]): Tone {
  const sizes = sizesOf(sweep, records);
  if (sizes === null) return bestAnswer(sweep, records)?.tone ?? 'unsure';
  if (sizes.some(({ smallest }) => smallest !== null)) return 'good';
  return sizes.some(({ doubtful }) => doubtful !== null) ? 'unsure' : 'bad';
}

/** The report of a sweep, also of one that has not come to its end. */
export function sweepDocument(sweep: SweepRecord, records: readonly CellRecord[]): ReportDocument {
  const { head, rows } = sweepTable(sweep, records);
  const charts = sweepCharts(sweep, records);
  const { pictures, rest } = firstOf(charts.flat(), firstChartId(sweep));
  const others = charts.map((some) => some.filter((chart) => rest.includes(chart)));
  // Small plots of one metric stay together; plots that stand for a metric each go side by side.
  const groups = others.every((some) => some.length <= 1) ? [others.flat()] : others;
  const versions = records.find(({ run }) => run !== null)?.versions ?? {};
  return {
    title: sweep.title,
    subtitle: utc(sweep.startedAt),
    ranOn: [n8nOfCells(sweep, records), placeText(sweep.machine)]
      .filter((text) => text !== '')
      .join('; '),
    verdict: sweepVerdict(sweep, records),
    // Which cell is best and what limits it, and from where on a difference is one.
    summary: [...decisionFigures(sweep, records), controlFigure(sweep, records)],
    pictures,
    howSure: sweepSure(sweep, records),
    doubts: sweepDoubts(sweep, records),
    figures: sweepFigures(sweep, records),
    sections: [
      section('Results', ...groups.map(plots)),
      {
        ...section('Every cell', table(head, rows), paragraph(CELLS)),
        isInTerminal: true,
      },
      {
        ...section(
          'What limited each cell',
          list(sweepLimits(sweep, records).map(({ cell, text }) => `${cell}: ${text}`)),
        ),
        isInTerminal: true,
      },
      section(
        'What crashed',
        list(crashes(records).map(({ id, sentence }) => `${id}: ${sentence}`)),
      ),
    ],
    howToRepeat: [repeatCommand(sweep.command)],
    conditions: measured(...hostFigures({ ...sweep, versions })),
  };
}
