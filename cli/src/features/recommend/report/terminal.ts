import { renderRows, renderVerdict, type TerminalStyle } from '../../../report/text/terminal';

/** What a proof came to: its trials, the last one at the end. */
export interface ProofSeen {
  verdict: 'PROVEN' | 'REFUTED' | 'INVALID';
  attempts: readonly { sentence: string; run: string }[];
}

const TONE_OF = { PROVEN: 'good', REFUTED: 'bad', INVALID: 'unsure' } as const;

export function renderProof(
  { verdict, attempts }: ProofSeen,
  file: string,
  style: TerminalStyle,
): string {
  const last = attempts.at(-1);
  return [
    ...renderVerdict(
      {
        ...{ word: verdict, tone: TONE_OF[verdict] },
        sentence: last?.sentence ?? 'Nothing was loaded to its end.',
      },
      style,
    ),
    '',
    ...renderRows(
      attempts.slice(0, -1).map(({ sentence }, index) => ({
        name: `Refuted ${String(index + 1)}`,
        value: sentence,
      })),
      style,
    ),
    ...renderRows(
      [
        { name: 'Values', value: file },
        ...(last === undefined ? [] : [{ name: 'Report', value: `${last.run}/report.html` }]),
      ],
      style,
    ),
  ].join('\n');
}
