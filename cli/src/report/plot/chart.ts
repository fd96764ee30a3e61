/** What a chart shows, apart from how it is drawn: the table behind a plot is made from the same data. */
export interface LineChart {
  kind: 'line';
  id: string;
  title: string;
  x: XAxis;
  y: Axis;
  series: LineSeries[];
  /** Horizontal or vertical lines with a name, such as an SLO's bound. */
  marks?: { axis: 'x' | 'y'; at: number; label: string }[];
  /** A part of the x axis behind the curves, such as the interval of an answer. */
  span?: { from: number; to: number };
  /** Lower than others, to stand beneath one. */
  isLow?: boolean;
}

export interface LineSeries {
  label: string;
  /** [x, y], or [x, y, low, high] where there is an interval; y is null where nothing was measured. */
  points: [number, number | null, number?, number?][];
  style?: 'line' | 'step' | 'dots';
  dashed?: boolean;
  /** Dots that stand out, such as the run that confirms an answer. */
  isLarge?: boolean;
  /** The number of its colour, which is that of its place unless the series stands for a verdict. */
  colour?: number;
}

export interface BarChart {
  kind: 'bar';
  id: string;
  title: string;
  unit: string;
  bars: Bar[];
}

export interface Bar {
  label: string;
  value: number;
  low?: number;
  high?: number;
  /** A word or two behind the value. */
  note?: string;
  /** The one that the report names as its answer. */
  isChosen?: boolean;
}

export interface HeatMap {
  kind: 'heat';
  id: string;
  title: string;
  unit: string;
  x: { label: string; values: string[] };
  y: { label: string; values: string[] };
  /** cells[row of y][column of x]; null where nothing was measured. */
  cells: (number | null)[][];
}

export interface Axis {
  label: string;
  unit?: string;
  min?: number;
  max?: number;
  scale?: 'linear' | 'log';
}

export interface XAxis extends Axis {
  /** A second row of ticks: each tick times the factor, as a percentage of what the label says. */
  share?: { factor: number; label: string };
}

export type Chart = LineChart | BarChart | HeatMap;

export function axisTitle({ label, unit, share }: XAxis): string {
  const units = [unit, share?.label].filter((text) => text !== undefined && text !== '');
  return units.length === 0 ? label : `${label} (${units.join('; ')})`;
}

/** Told apart in light and dark, in print, and by eyes that see few colours; the CSS gives the values. */
export const SERIES_COLOURS = 8;

/** The class that gives a series its colour. */
export const colourOf = ({ colour }: LineSeries, index: number): string =>
  `s${String(colour ?? index % SERIES_COLOURS)}`;
