import type { SizePrediction } from '../analysis/answer';
import { predictFigures, predictSentence, predictWord } from './figures';
import { renderRows, renderVerdict, type TerminalStyle } from '../../../report/text/terminal';

export function renderPredictTerminal(answer: SizePrediction, style: TerminalStyle): string {
  return [
    ...renderVerdict(
      predictWord(answer),
      predictSentence(answer),
      answer.lowest === null ? 33 : 32,
      style,
    ),
    '',
    ...renderRows(predictFigures(answer), style),
  ].join('\n');
}
