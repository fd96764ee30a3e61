import { z } from 'zod';

/** `{name}` in a path, query value, header, body or expectation stands for the parameter of that name. */
const parameter = z.strictObject({
  title: z.string(),
  type: z.enum(['integer', 'number', 'string']),
  default: z.union([z.number(), z.string()]),
  min: z.number().optional(),
  max: z.number().optional(),
  unit: z.string().optional(),
  /** Whether records show a text that is given for it; a number they always show. */
  recorded: z.boolean().optional(),
});

/** Without defaults: a variant's own part is laid over the workload's, and must not empty it. */
const requestParts = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']),
  path: z.string().startsWith('/'),
  query: z.record(z.string(), z.string()),
  headers: z.record(z.string(), z.string()),
  /** At most one kind; `randomMiB` sends that many MiB of random bytes. */
  body: z
    .union([
      z.strictObject({ json: z.unknown() }),
      z.strictObject({ text: z.string() }),
      z.strictObject({ randomMiB: z.string(), contentType: z.string() }),
    ])
    .optional(),
});

const request = requestParts.extend({
  query: requestParts.shape.query.default({}),
  headers: requestParts.shape.headers.default({}),
});

const response = z.strictObject({
  /** Expectations such as `status==200`, `json.ok==true`, `body~"text"`, `header.content-type~json`. */
  expect: z.array(z.string()).min(1),
  /** Field of the response with the request's id (header x-load-id), e.g. `json.headers.x-load-id`. */
  requestIdAt: z.string().optional(),
  /** Field of the response that names the process that ran it: an object with host, pid and role. */
  ranAt: z.string().optional(),
});

const variant = z.strictObject({
  /** Relative to workflows/. With `{copy}` in it: a file per copy of the workload. */
  file: z.string(),
  /** The n8n versions on which it runs: `>=1.0.0` or `<1.0.0`. */
  n8n: z.string().regex(/^(>=|<)\d+\.\d+\.\d+$/),
  /** Workflows that it calls: imported and activated with it. Relative to workflows/. */
  alongside: z.array(z.string()).default([]),
  /** Differences of a variant from the workload's own request or response. */
  request: requestParts.partial().optional(),
  response: response.partial().optional(),
});

export const workloadSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  title: z.string(),
  /** In a file that n8n-tuned wrote, to detect edits. */
  digest: z.string().optional(),
  /** What it puts under stress, in a sentence. */
  stresses: z.string(),
  /** What somebody who reaches its webhook can do to n8n; stands in the notes of its workflows too. */
  warning: z.string().optional(),
  request: request.optional(),
  parameters: z.record(z.string(), parameter).default({}),
  response: response.optional(),
  /** Whether the response comes at once (then completions must be counted from n8n) or when the execution ends. */
  answers: z.enum(['at-once', 'when-done']),
  /** A response cannot come sooner than this: a number, or the name of the parameter times a factor. */
  latencyFloorMs: z
    .union([z.number(), z.strictObject({ parameter: z.string(), times: z.number() })])
    .default(0),
  /** native: only nodes that n8n ships; load-target: with our node; legacy: for n8n below 1.0. */
  variants: z
    .strictObject({
      native: variant.optional(),
      'load-target': variant.optional(),
      legacy: variant.optional(),
    })
    .prefault({}),
  /** Whether a request begins another number of executions each time; else one, and one of each workflow alongside. */
  executionsVary: z.boolean().default(false),
  /** Closed loop: how long a client waits after a response. In an open loop it has no meaning. */
  thinkTimeMs: z.number().nonnegative().default(0),
  /** The number of equal webhooks that get the request; `{copy}` in it and in its response runs from 1. */
  copies: z.int().min(2).max(100).optional(),
  /** Instead of a request of its own: a weighted blend of other workloads; in a file, also of other files. */
  blend: z
    .array(z.strictObject({ workload: z.string(), weight: z.number().positive() }))
    .optional(),
  /** Made to bring n8n down: seeded and activated only where the user names it. */
  mayCrashN8n: z.boolean().default(false),
  /** What it needs beside n8n: see seeding.ts. */
  needs: z.array(z.enum(['upstream', 'credential', 'files'])).default([]),
  /** What a twin's stand-in answers, as a file beside this one, and credentials that lead to it. */
  standIn: z
    .strictObject({
      rules: z.string(),
      credentials: z
        .array(
          z.strictObject({
            id: z.string(),
            name: z.string(),
            type: z.string(),
            data: z.record(z.string(), z.string()),
          }),
        )
        .default([]),
    })
    .optional(),
});

export const catalogueSchema = z.strictObject({
  schemaVersion: z.literal(1),
  workloads: z.array(workloadSchema).min(1),
});

export type Workload = z.infer<typeof workloadSchema>;
export type Catalogue = z.infer<typeof catalogueSchema>;
export type VariantName = keyof Workload['variants'];
export type Variant = z.output<typeof variant>;

/** Every workflow of a variant: those that have its webhooks first, then those that they call. */
export function filesOf(
  { copies = 1 }: Pick<Workload, 'copies'>,
  { file, alongside }: Variant,
): string[] {
  const ofCopies = Array.from({ length: copies }, (_, index) =>
    file.replaceAll('{copy}', String(index + 1)),
  );
  return [...new Set(ofCopies), ...alongside];
}
