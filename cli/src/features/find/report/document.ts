import { workloadName } from '../../../plan/chosen-workload';
import type { FindRecord } from '../record';
import { costOf } from '../../../analysis/cost';
import { conditionsOf, ranOn, subtitle } from '../../../report/conditions';
import {
  firstOf,
  paragraph,
  plots,
  section,
  table,
  terms,
  type ReportDocument,
  type ShownVerdict,
} from '../../../report/document';
import { repeatCommand, costFigures } from '../../../report/text/units';
import { findCharts } from './charts';
import {
  adviceFigures,
  breaksFirst,
  capacityFigures,
  findFigures,
  howSure,
  PROBE_COLUMNS,
  probeRow,
  probeTerms,
} from './figures';
import { speedFigures } from './speed';

const VERDICTS: Record<FindRecord['verdict'], Pick<ShownVerdict, 'tone' | 'word'>> = {
  found: { tone: 'good', word: 'FOUND' },
  rough: { tone: 'good', word: 'ROUGHLY' },
  'not confirmed': { tone: 'unsure', word: 'NOT CONFIRMED' },
  inconclusive: { tone: 'unsure', word: 'INCONCLUSIVE' },
  'nothing sustained': { tone: 'bad', word: 'NOT SUSTAINED' },
  invalid: { tone: 'unsure', word: 'INVALID' },
};

export const findVerdict = ({ verdict, sentence }: FindRecord): ShownVerdict => ({
  ...VERDICTS[verdict],
  sentence,
});

/** The report of one search for the capacity. */
export function findDocument(record: FindRecord): ReportDocument {
  const { pictures, rest } = firstOf(findCharts(record), 'latency', 'speed');
  return {
    title: `Capacity of ${workloadName(record.workload)}`,
    subtitle: subtitle(record),
    ranOn: ranOn(record),
    verdict: findVerdict(record),
    // How much, what it takes, and what to change for more.
    summary: [
      ...capacityFigures(record),
      ...speedFigures(record),
      breaksFirst(record),
      ...adviceFigures(record),
      ...costFigures(costOf(record), record.prices),
    ],
    pictures,
    howSure: howSure(record),
    doubts: record.doubts,
    figures: findFigures(record),
    sections: [
      section('The search', plots(rest)),
      section(
        'Every probe',
        table(PROBE_COLUMNS, record.probes.map(probeRow)),
        terms(probeTerms(record)),
        paragraph(
          'Each probe is a separate run, with its own report, in the folder probes/ next to this file.',
        ),
      ),
    ],
    howToRepeat: [repeatCommand(record.command)],
    conditions: conditionsOf(record),
  };
}
