import type { Answer } from '../../analysis/predict/answer';
import { predictFigures, predictSentence } from './figures';
import { renderRows, renderVerdict, type TerminalStyle } from '../text/terminal';

export function renderPredictTerminal(answer: Answer, style: TerminalStyle): string {
  const known = answer.lowest !== null;
  return [
    ...renderVerdict(
      known ? 'EXPECTED' : 'UNKNOWN',
      predictSentence(answer),
      known ? 32 : 33,
      style,
    ),
    '',
    ...renderRows(predictFigures(answer), style),
  ].join('\n');
}
