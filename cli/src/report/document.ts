/** A report as plain data. Each kind of record has one function that makes it; pages, Markdown and the terminal render it. */
import type { Chart } from './plot/chart';
import type { Figure } from './text/units';

export interface ReportDocument {
  title: string;
  /** What was loaded, how and when, in short. */
  subtitle: string;
  /** What it ran on, in one line: n8n, its patches that are in force, the machine. */
  ranOn: string;
  verdict: ShownVerdict;
  /** What is decided from. */
  summary: readonly Figure[];
  /** Those that answer the question, the first one alone if it has to. */
  pictures: readonly Chart[];
  /** How sure the answer is and how much was measured, in one line. */
  howSure: string;
  doubts: readonly string[];
  /** Sections that stand right below the first picture: what was missed, what to change. */
  urgent?: readonly Section[];
  /** Every figure, in reading order. */
  figures: readonly Figure[];
  sections: readonly Section[];
  /** Commands, as they are typed. */
  howToRepeat: readonly string[];
  /** Target, workload, versions, machine, date, topology: enough to build it again. */
  conditions: Section;
}

export interface ShownVerdict {
  tone: Tone;
  word: string;
  sentence: string;
  /** Smaller, below the sentence. */
  notes?: readonly string[];
}

export interface Section {
  title: string;
  blocks: readonly Block[];
  /** The terminal shows it too. */
  isInTerminal?: boolean;
}

export type Block =
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; items: readonly string[] }
  | { kind: 'figures'; figures: readonly Figure[] }
  /** What the words of a table mean. */
  | { kind: 'terms'; terms: readonly Figure[] }
  | { kind: 'table'; head: readonly string[]; rows: readonly (readonly string[])[] }
  | { kind: 'plots'; charts: readonly Chart[] }
  | { kind: 'code'; lines: readonly string[] };

export const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
export const list = (items: readonly string[]): Block => ({ kind: 'list', items });
export const figures = (all: readonly Figure[]): Block => ({ kind: 'figures', figures: all });
export const terms = (all: readonly Figure[]): Block => ({ kind: 'terms', terms: all });
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): Block => ({
  ...{ kind: 'table', head, rows },
});
export const plots = (charts: readonly Chart[]): Block => ({ kind: 'plots', charts });

export const section = (title: string, ...blocks: readonly Block[]): Section => ({ title, blocks });

/** The charts that are read first, and all others. */
export function firstOf(
  charts: readonly Chart[],
  ...ids: readonly string[]
): { pictures: readonly Chart[]; rest: readonly Chart[] } {
  const named = ids.flatMap((id) => charts.filter((chart) => chart.id === id));
  const pictures = named.length > 0 ? named : charts.slice(0, 1);
  return { pictures, rest: charts.filter((chart) => !pictures.includes(chart)) };
}

/** All of a document below its verdict, pictures and summary, in reading order, without what is empty. */
export function sectionsOf(document: ReportDocument): Section[] {
  const { howSure, doubts, urgent = [], sections, howToRepeat, conditions } = document;
  const all = [
    ...urgent,
    section('How sure is this?', paragraph(howSure), list(doubts)),
    section('Every figure', figures(document.figures)),
    ...sections,
    section('How to repeat it', { kind: 'code', lines: howToRepeat }),
    conditions,
  ];
  return all.filter(({ blocks }) => blocks.some((block) => !isEmpty(block)));
}

/** Every plot of a document. */
export const chartsOf = (document: ReportDocument): Chart[] => [
  ...document.pictures,
  ...sectionsOf(document).flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'plots' ? block.charts : [])),
  ),
];

function isEmpty(block: Block): boolean {
  switch (block.kind) {
    case 'paragraph':
      return block.text === '';
    case 'list':
      return block.items.length === 0;
    case 'figures':
      return block.figures.length === 0;
    case 'terms':
      return block.terms.length === 0;
    case 'table':
      return block.rows.length === 0;
    case 'plots':
      return block.charts.length === 0;
    case 'code':
      return block.lines.length === 0;
  }
}

/** What a verdict says of a system, whatever its words; an answer that is not sure is never good. */
export type Tone = 'good' | 'bad' | 'unsure';

/** One colour for each: its number among those of the series, and its code in a terminal. */
export const TONES: Record<Tone, { series: number; terminal: number }> = {
  good: { series: 2, terminal: 32 },
  bad: { series: 1, terminal: 31 },
  unsure: { series: 4, terminal: 33 },
};
