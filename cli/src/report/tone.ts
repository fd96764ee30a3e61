/** What a verdict says of a system, whatever its words; an answer that is not sure is never good. */
export type Tone = 'good' | 'bad' | 'unsure';

/** One colour for each: its number among those of the series, and its code in a terminal. */
export const TONES: Record<Tone, { series: number; terminal: number }> = {
  good: { series: 2, terminal: 32 },
  bad: { series: 1, terminal: 31 },
  unsure: { series: 4, terminal: 33 },
};
