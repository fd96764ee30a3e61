/**
 * From the catalogue to the requests that are sent: the variant laid over the workload, parameters
 * put in, a blend taken apart. Pure, and without an import from k6: the command uses it too.
 */

/** One request, ready to be sent to a base URL. */
export interface LoadRequest {
  workload: string;
  /** Relative to the other requests of a blend. */
  weight: number;
  method: string;
  /** With its query, starting with a slash. */
  path: string;
  headers: Record<string, string>;
  body: LoadBody | null;
  /** Expectations, see expect.ts. */
  expect: string[];
  /** Where the reply gives x-load-id back; null: nowhere. */
  requestIdAt: string | null;
  /** Where the reply says which process ran it. */
  ranAt: string | null;
  thinkTimeMs: number;
}

export type LoadBody = { text: string } | { randomMiB: number };
