import type { CompareRecord } from '../record';
import { measured, measuredFigures, subtitle } from '../../../report/conditions';
import {
  firstOf,
  paragraph,
  plots,
  section,
  table,
  type ReportDocument,
  type ShownVerdict,
} from '../../../report/document';
import { repeatCommand } from '../../../report/text/units';
import { compareCharts } from './charts';
import {
  compareFigures,
  firstFigures,
  howSure,
  sidesRanOn,
  pairTable,
  takesFigures,
  topologyTable,
} from './figures';
import { NOTHING_SEEN, type ComparedRuns } from './seen';

const ANSWERS: Record<CompareRecord['answer'], Pick<ShownVerdict, 'tone' | 'word'>> = {
  better: { tone: 'good', word: 'BETTER' },
  worse: { tone: 'bad', word: 'WORSE' },
  'no difference': { tone: 'unsure', word: 'ALIKE' },
  unknown: { tone: 'unsure', word: 'UNKNOWN' },
};

export const compareVerdict = ({ answer, sentence }: CompareRecord): ShownVerdict => ({
  ...ANSWERS[answer],
  sentence,
});

/** The report of one comparison of two topologies. */
export function compareDocument(
  record: CompareRecord,
  runs: ComparedRuns = NOTHING_SEEN,
): ReportDocument {
  const { a, b, prices } = record;
  const pairs = pairTable(record);
  const topologies = topologyTable(record);
  const { pictures, rest } = firstOf(
    compareCharts(record, runs),
    ...(pairs.rows.length > 1 ? ['ratios', 'sides'] : ['sides']),
  );
  const isPaired = ({ id }: { id: string }): boolean => id === 'pairs' || id === 'ratios';
  return {
    title: `${b.name} compared with ${a.name}`,
    subtitle: subtitle(record),
    ranOn: sidesRanOn(record),
    verdict: compareVerdict(record),
    summary: firstFigures(record, runs),
    pictures,
    howSure: howSure(record),
    doubts: record.doubts,
    figures: [
      ...compareFigures(record),
      ...takesFigures(record, runs).map((figure) => ({
        ...{ ...figure, isDetail: prices === undefined },
      })),
    ],
    sections: [
      section('Both distributions', plots(rest.filter((chart) => !isPaired(chart)))),
      section(
        'Pair by pair',
        plots(rest.filter(isPaired)),
        table(pairs.head, pairs.rows),
        paragraph(
          'Each value comes from a separate run, whose report is in the folder runs/ next to this file.',
        ),
      ),
      section('The two topologies', table(topologies.head, topologies.rows)),
    ],
    howToRepeat: [repeatCommand(record.command)],
    conditions: measured(...measuredFigures(record)),
  };
}
