/** What executions of a workflow have recorded of each node, and what of it is kept. Pure. */
import { z } from 'zod';
import type { ExportedWorkflow } from '../../../catalogue/exported-workflow';
import { nameOf } from '../../../catalogue/triggers';

/** The shape and the size of recorded data, with none of its values. Pure. */

/** A text of these forms is taken apart by workflows, so its stand-in has the form too. */
const FORMS: readonly (readonly [RegExp, (text: string) => string])[] = [
  [
    /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/,
    (text) =>
      '2026-01-01T00:00:00.000000000'.slice(0, untilZone(text)) + text.slice(untilZone(text)),
  ],
  [/^-?\d+(?:[.,]\d+)?$/, (text) => text.replace(/\d/g, '1')],
  [/^[^\s@]+@[^\s@]+\.[^\s@]+$/, (text) => text.replace(/[^@.]/g, 'x')],
  [
    /^https?:\/\/\S+$/,
    (text) => text.replace(/(?<=:\/\/.*)[^/.:?&=#]/g, (sign) => (/\d/.test(sign) ? '1' : 'x')),
  ],
];

/** Finds the zone of a time, or its end. */
const untilZone = (text: string): number => {
  const zone = text.slice(10).search(/Z|[+-]\d{2}:?\d{2}$/);
  return zone === -1 ? text.length : 10 + zone;
};

/** A key that is no name but a value, such as an address or a number of a customer. */
const IS_VALUE = /@|\d{4,}|^.{65,}$/s;

/** A text that is JSON of an object or a list; null: it is none. */
function heldIn(text: string): object | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as object;
  } catch {
    return null;
  }
}

export function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') {
    const held = heldIn(value);
    if (held !== null) return JSON.stringify(shapeOf(held));
    return FORMS.find(([form]) => form.test(value))?.[1](value) ?? 'x'.repeat(value.length);
  }
  if (typeof value === 'number') {
    return Number.isInteger(value) ? 10 ** (String(Math.abs(value)).length - 1) : 1.5;
  }
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part], index) => [
      IS_VALUE.test(key) ? `key${String(index + 1)}` : key,
      shapeOf(part),
    ]),
  );
}

const file = z.looseObject({
  mimeType: z.string().optional(),
  fileName: z.string().optional(),
  /** What n8n shows: `12.3 kB`. */
  fileSize: z.union([z.string(), z.number()]).optional(),
  /** The file in base64, or a word for where it is. */
  data: z.string().optional(),
});
const item = z.looseObject({
  json: z.unknown(),
  binary: z.record(z.string(), file).optional(),
});
type RecordedItem = z.infer<typeof item>;
const run = z.looseObject({
  executionTime: z.number().optional(),
  data: z.record(z.string(), z.array(z.array(item).nullable())).optional(),
});

/** An answer of n8n's GET /executions/ID?includeData=true. */
export const executionSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  workflowId: z.union([z.string(), z.number()]).optional(),
  data: z.looseObject({
    resultData: z.looseObject({
      runData: z.record(z.string(), z.array(run)),
      lastNodeExecuted: z.string().optional(),
    }),
  }),
});

export type Execution = z.infer<typeof executionSchema>;

export interface RecordedNode {
  /** The time of each call. */
  callsMs: number[];
  /** What a call returned. */
  items: unknown[];
  /** Items of a run of the node, each a call; n8n makes them at the same time. Left out: one. */
  perRun?: number;
  /** The files of the first item. */
  files?: RecordedFile[];
  /** A language model: tokens of an answer, in the median. */
  tokens?: number;
}

export interface RecordedFile {
  /** The name under which the item has it. */
  key: string;
  type: string;
  name: string;
  bytes: number;
}

/** What one workflow did. */
export interface Recording {
  nodes: ReadonlyMap<string, RecordedNode>;
  /** The node that ran last: where a webhook answers by it, the response is its first item. */
  last: string | null;
}

export const NOTHING_RECORDED: Recording = { nodes: new Map(), last: null };

/** Newest first: items are those of the newest execution that has the node, times those of all. */
export function recordingOf(
  workflow: ExportedWorkflow,
  executions: readonly Execution[],
  keepsValues: boolean,
): Recording {
  const nodes = new Map<string, RecordedNode>();
  for (const execution of executions) {
    for (const [name, seen] of recordedNodes(execution, workflow, keepsValues)) {
      const newer = nodes.get(name);
      nodes.set(
        name,
        newer === undefined ? seen : { ...newer, callsMs: [...newer.callsMs, ...seen.callsMs] },
      );
    }
  }
  return { nodes, last: executions[0]?.data.resultData.lastNodeExecuted ?? null };
}

/** Whether any of its nodes ran. */
export const isOf = ({ data, workflowId }: Execution, workflow: ExportedWorkflow): boolean =>
  workflowId !== undefined && String(workflowId) === String(workflow.id)
    ? true
    : workflow.nodes.some((node) => data.resultData.runData[nameOf(node)] !== undefined);

function recordedNodes(
  execution: Execution,
  workflow: ExportedWorkflow,
  keepsValues: boolean,
): Map<string, RecordedNode> {
  const { runData } = execution.data.resultData;
  const outputOf = (node: string): RecordedItem[] =>
    (runData[node] ?? []).flatMap(({ data = {} }) =>
      Object.values(data).flatMap((outputs) => outputs.flatMap((items) => items ?? [])),
    );
  return new Map(
    Object.entries(runData).map(([node, runs]) => {
      const inputs = sourcesOf(workflow, node).reduce(
        (sum, from) => sum + outputOf(from).length,
        0,
      );
      const calls = Math.max(runs.length, inputs, 1);
      const given = outputOf(node);
      const all = given.map(({ json }) => json);
      const items = all.slice(0, Math.max(1, Math.round(all.length / calls)));
      const tokens = median(all.flatMap(tokensOf));
      const files = filesOf(given[0], keepsValues);
      return [
        node,
        {
          // An HTTP Request makes the calls of a run at the same time, so each is as long as the run was.
          callsMs: runs.map(({ executionTime = 0 }) => executionTime),
          items: keepsValues ? items : items.map(shapeOf),
          perRun: Math.max(1, Math.round(calls / Math.max(1, runs.length))),
          ...(tokens === undefined ? {} : { tokens }),
          ...(files.length === 0 ? {} : { files }),
        },
      ];
    }),
  );
}

const UNITS: Record<string, number> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

function filesOf(item: RecordedItem | undefined, keepsValues: boolean): RecordedFile[] {
  return Object.entries(item?.binary ?? {}).map(([key, file]) => {
    const { mimeType: type = 'application/octet-stream', fileName = key, fileSize, data } = file;
    const [, count, unit = 'b'] = /^([\d.]+)\s*([kmg]?b)?/i.exec(String(fileSize ?? '')) ?? [];
    const bytes =
      count === undefined
        ? Math.round(((data ?? '').length * 3) / 4)
        : Math.round(Number(count) * (UNITS[unit.toLowerCase()] ?? 1));
    const [, stem = '', ending = ''] = /^(.*?)(\.\w+)?$/s.exec(fileName) ?? [];
    return { key, type, name: (keepsValues ? stem : String(shapeOf(stem))) + ending, bytes };
  });
}

/** Nodes whose items a node is given. */
const sourcesOf = ({ connections }: ExportedWorkflow, name: string): string[] =>
  Object.entries(connections)
    .filter(([, to]) =>
      JSON.stringify((to as { main?: unknown }).main ?? []).includes(JSON.stringify(name)),
    )
    .map(([from]) => from);

/** Reads the forms that the nodes of language models write. */
function tokensOf(json: unknown): number[] {
  const { tokenUsage, tokenUsageEstimate } = (json ?? {}) as Record<
    string,
    { completionTokens?: unknown } | undefined
  >;
  const tokens = Number((tokenUsage ?? tokenUsageEstimate)?.completionTokens);
  return Number.isInteger(tokens) && tokens > 0 ? [tokens] : [];
}

const median = (values: readonly number[]): number | undefined =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];

/** Writes a latency as the rules file of a stand-in has it. */
export function latencyText(callsMs: readonly number[]): unknown {
  const sorted = [...callsMs].sort((one, other) => one - other);
  const at = (share: number): string =>
    `${String(Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0))}ms`;
  return sorted.length < 5
    ? at(0.5)
    : { quantiles: { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) } };
}
