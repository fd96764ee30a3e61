import { Mistake } from './mistake.ts';

/**
 * What must hold, written as `p95<6s` or `lost=0`: the grammar of SLOs and of what a system is promised to do in a drill.
 * The only parser of it, and the only judge, for k6 and the command.
 */
export const OPERATORS = ['<', '<=', '>', '>=', '='] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Condition<Metric extends string> {
  /** The words of the user; shown in every report. */
  text: string;
  metric: Metric;
  operator: Operator;
  bound: number;
}

/** One as it was read: what its unit means, its metric decides. */
export interface WrittenCondition<Metric extends string> extends Omit<Condition<Metric>, 'bound'> {
  value: number;
  unit: string;
}

interface Grammar<Metric extends string> {
  metrics: readonly Metric[];
  /** The sentences for what is no condition, and for one of another metric. */
  notUnderstood(text: string): string;
  noMetric(text: string, metric: string): string;
}

/** One or several, separated by commas. */
export function parseConditions<Metric extends string>(
  text: string,
  { metrics, notUnderstood, noMetric }: Grammar<Metric>,
): WrittenCondition<Metric>[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const [, name, operator, value, unit = ''] =
        /^([a-z0-9.-]+)\s*(<=|>=|==|=|<|>)\s*([0-9]*\.?[0-9]+)\s*([a-z%]*)$/i.exec(part) ?? [];
      if (name === undefined) throw new Mistake(notUnderstood(part));
      const metric = metrics.find((known) => known === name.toLowerCase());
      if (metric === undefined) throw new Mistake(noMetric(part, name));
      return {
        ...{ text: part, metric, value: Number(value), unit },
        operator: (operator === '==' ? '=' : operator) as Operator,
      };
    });
}

export function holds(
  value: number,
  { operator, bound }: { operator: Operator; bound: number },
): boolean {
  switch (operator) {
    case '<':
      return value < bound;
    case '<=':
      return value <= bound;
    case '>':
      return value > bound;
    case '>=':
      return value >= bound;
    case '=':
      return value === bound;
  }
}
