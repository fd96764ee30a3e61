declare const console: { log(line: string): void };

/**
 * One line on standard output (with k6's --log-output=stdout --log-format=raw): the raw requests that
 * the command records. A request that began and has no end was cut off with k6 itself.
 */
export type Line =
  | [kind: 'b', id: string, begunMs: number, loadBeganAtMs: number, workload: string]
  | [kind: 'e', id: string, durationMs: number, status: number, errorKind: string, ranBy: string];

export function print(line: Line): void {
  // The only way out of k6 that is written at once and survives its death.
  console.log(JSON.stringify(line));
}
