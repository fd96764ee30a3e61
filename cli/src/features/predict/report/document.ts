import type { SizePrediction } from '../analysis/answer';
import { SCALES } from '../analysis/scale';
import { formatNumber, perSecond } from '../../../ui/numbers';
import {
  machineText,
  ranOn,
  sloFigure,
  topologyFigures,
  workloadText,
} from '../../../report/conditions';
import {
  figures,
  firstOf,
  list,
  section,
  table,
  type ReportDocument,
  type ShownVerdict,
} from '../../../report/document';
import { utc } from '../../../report/text/units';
import { predictCharts } from './charts';
import {
  anyOf,
  firstFigures,
  howSure,
  predictFigures,
  predictSentence,
  predictTitle,
} from './figures';

const verdictOf = (answer: SizePrediction): ShownVerdict => ({
  ...(answer.lowest === null
    ? ({ tone: 'unsure', word: 'UNKNOWN' } as const)
    : ({ tone: 'good', word: 'EXPECTED' } as const)),
  sentence: predictSentence(answer),
});

/** From the first measurement to the last. */
function measuredOn({ measurements }: SizePrediction['group']): string {
  const times = measurements.map(({ startedAt }) => utc(startedAt)).toSorted();
  const [first = '', last = first] = [times[0], times.at(-1)];
  return `measured ${first === last ? `on ${first}` : `from ${first} to ${last}`}`;
}

/** The report of one prediction. */
export function predictDocument(answer: SizePrediction): ReportDocument {
  const { group, over, refused, topology } = answer;
  const { workload, slo, machine } = anyOf(group);
  return {
    title: predictTitle(answer),
    subtitle: [workload.title, measuredOn(group)].join(', '),
    ranOn: ranOn({ topology, versions: {}, machine }),
    verdict: verdictOf(answer),
    summary: firstFigures(answer),
    howSure: howSure(answer),
    doubts: [],
    urgent: [section('What cannot be predicted', list(refused))],
    pictures: firstOf(predictCharts(answer), 'prediction').pictures,
    figures: predictFigures(answer),
    sections: [
      section(
        'From these measurements',
        table(
          ['record', SCALES[over].title, 'sustained'],
          group.measurements.map(({ source, ratePerSecond }, index) => [
            ...[source, formatNumber(group.points[index]?.n ?? 0), perSecond(ratePerSecond)],
          ]),
        ),
      ),
    ],
    howToRepeat: [],
    conditions: section(
      'Exactly what was predicted',
      figures([
        { name: 'Workload', value: workloadText(workload) },
        sloFigure(slo),
        { name: 'Machine', value: machineText(machine) },
        ...topologyFigures(topology),
      ]),
    ),
  };
}
