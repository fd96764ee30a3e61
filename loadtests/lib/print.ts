declare const console: { log(line: string): void };

/**
 * One line on standard output (with k6's --log-output=stdout --log-format=raw): the raw requests that
 * the command records. A request that began and has no end was cut off with k6 itself.
 */
export type Line =
  | [
      kind: 'b',
      id: string,
      dueMs: number,
      /** Begun so much later than due. */
      lateMs: number,
      loadBeganAtMs: number,
      workload: string,
    ]
  | [
      kind: 'e',
      id: string,
      /** Since it was begun. */
      serviceMs: number,
      status: number,
      errorKind: string,
      ranBy: string,
      /** Connections opened for it. */
      connected: number,
    ]
  /** Was due while as many as may be were open, and was not sent. */
  | [kind: 'n', dueMs: number, loadBeganAtMs: number, workload: string]
  /** Is there, and waits for the common begin. */
  | [kind: 'r', atMs: number];

export function print(line: Line): void {
  // The only way out of k6 that is written at once and survives its death.
  console.log(JSON.stringify(line));
}
