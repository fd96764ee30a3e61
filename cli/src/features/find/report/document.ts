import { workloadName } from '../../../plan/chosen-workload';
import type { FindRecord } from '../record';
import { costOf } from '../../../analysis/cost';
import { conditionsOf, subtitle } from '../../../report/conditions';
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
import { costFigures } from '../../../report/text/cost';
import { repeatCommand } from '../../../report/text/units';
import { findCharts } from './charts';
import {
  adviceFigures,
  capacityFigures,
  findFigures,
  PROBE_COLUMNS,
  probeRow,
  probeTerms,
} from './figures';

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
  const { picture, rest } = firstOf(findCharts(record), 'achieved');
  return {
    title: `Capacity of ${workloadName(record.workload)}`,
    subtitle: subtitle(record),
    verdict: findVerdict(record),
    // How much, what it takes, and what to change for more.
    summary: [
      ...capacityFigures(record),
      ...costFigures(costOf(record), record.prices),
      ...adviceFigures(record),
    ],
    doubts: record.doubts,
    picture,
    figures: findFigures(record),
    sections: [
      section('The search', plots(rest)),
      section(
        'Every probe',
        table(PROBE_COLUMNS, record.probes.map(probeRow)),
        terms(probeTerms(record)),
        paragraph(
          'Each probe is a run of its own, with its own report, in the folder probes/ beside this file.',
        ),
      ),
    ],
    howToRepeat: [repeatCommand(record.command)],
    conditions: conditionsOf(record),
  };
}
