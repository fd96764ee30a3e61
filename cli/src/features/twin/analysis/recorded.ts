/** What an execution of the workflow has recorded of each node, and what of it is kept. Pure. */
import { z } from 'zod';

const run = z.looseObject({
  executionTime: z.number().optional(),
  data: z
    .looseObject({
      main: z.array(z.array(z.looseObject({ json: z.unknown() })).nullable()).optional(),
    })
    .optional(),
});

/** An answer of n8n's GET /executions/ID?includeData=true. */
export const executionSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  data: z.looseObject({
    resultData: z.looseObject({ runData: z.record(z.string(), z.array(run)) }),
  }),
});

export type Execution = z.infer<typeof executionSchema>;

export interface RecordedNode {
  /** Of each call. */
  callsMs: number[];
  /** What a call returned. */
  items: unknown[];
}

/** `inputs` is how many items a node was given, all its runs together. */
export function recordedNodes(
  execution: Execution,
  inputsOf: (node: string) => string[],
  keepsValues: boolean,
): Map<string, RecordedNode> {
  const { runData } = execution.data.resultData;
  const outputOf = (node: string): unknown[] =>
    (runData[node] ?? []).flatMap(({ data }) => (data?.main ?? []).flatMap((items) => items ?? []));
  return new Map(
    Object.entries(runData).map(([node, runs]) => {
      const inputs = inputsOf(node).reduce((sum, from) => sum + outputOf(from).length, 0);
      const calls = Math.max(runs.length, inputs, 1);
      const all = outputOf(node).map((item) => (item as { json: unknown }).json);
      const items = all.slice(0, Math.max(1, Math.round(all.length / calls)));
      const wholeMs = runs.reduce((sum, { executionTime = 0 }) => sum + executionTime, 0);
      return [
        node,
        {
          callsMs:
            runs.length === calls
              ? runs.map(({ executionTime = 0 }) => executionTime)
              : [wholeMs / calls],
          items: keepsValues ? items : items.map(shapeOf),
        },
      ];
    }),
  );
}

/** The same fields, types and sizes, and none of the values. */
export function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return 'x'.repeat(value.length);
  if (typeof value === 'number')
    return Number.isInteger(value) ? 10 ** (String(Math.abs(value)).length - 1) : 1.5;
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shapeOf(part)]));
}

/** As the rules file of a stand-in has it. */
export function latencyText(callsMs: readonly number[]): unknown {
  const sorted = [...callsMs].sort((one, other) => one - other);
  const at = (share: number): string =>
    `${String(Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0))}ms`;
  return sorted.length < 5
    ? at(0.5)
    : { quantiles: { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) } };
}
