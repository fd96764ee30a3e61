/** What of PromQL our own expressions use: every selector has braces. */

export interface Selector {
  metric: string;
  text: string;
}

export const selectorsOf = (expression: string): Selector[] =>
  [...expression.matchAll(/(\w+)\{[^}]*\}/g)].map(([text, metric = '']) => ({ metric, text }));

/** Labels by which an expression groups or joins, and those that a summary shows. */
export function labelsOf(expression: string, summary = ''): string[] {
  const grouped = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(/, ?/),
  );
  const shown = [...summary.matchAll(/\$labels\.(\w+)/g)].flatMap(([, name]) => name ?? []);
  return [...new Set([...grouped, ...shown])];
}
