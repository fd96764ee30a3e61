/** What recovery asks of an n8n, by its public API alone. */
import { z } from 'zod';
import type { SeenExecution, Stored } from '../analysis/recovery/execution';
import type { N8nApi } from '../targets/url/api';

const id = z.union([z.string(), z.number()]).transform(String);
const time = z
  .string()
  .nullish()
  .transform((text) => (typeof text === 'string' ? Date.parse(text) : null));
const executionSchema = z.object({
  ...{ id, workflowId: id, mode: z.string() },
  status: z
    .enum(['new', 'running', 'waiting', 'success', 'error', 'crashed', 'canceled'])
    .catch('unknown' as never),
  retryOf: id.nullish().transform((given) => given ?? null),
  retrySuccessId: id.nullish().transform((given) => given ?? null),
  startedAt: time,
  stoppedAt: time,
});
const workflowSchema = z.object({
  ...{ id, name: z.string() },
  settings: z
    .object({
      saveDataErrorExecution: z.string().optional(),
      saveDataSuccessExecution: z.string().optional(),
    })
    .nullish(),
});
const storedSchema = z.object({
  data: z
    .object({
      executionData: z
        .object({
          nodeExecutionStack: z
            .array(z.object({ node: z.object({ name: z.string() }) }))
            .optional(),
        })
        .nullish(),
      resultData: z
        .object({
          runData: z.record(z.string(), z.unknown()).optional(),
          error: z.object({ message: z.string().optional() }).nullish(),
        })
        .nullish(),
    })
    .nullish(),
});
const page = <Row extends z.ZodType>(row: Row) =>
  z.object({ data: z.array(row), nextCursor: z.string().nullish() });
const retriedSchema = z.object({ id, status: z.string().optional() });

export interface TaggedWorkflow {
  id: string;
  name: string;
  /** By its own settings; null: as the instance has it. */
  savesFailures: boolean | null;
  savesSuccesses: boolean | null;
}

/** How far back executions are read. */
export interface Since {
  /** That began then or later. */
  sinceMs: number;
  /** That were made after this one, with itself. */
  sinceId?: string;
}

/** A retry of an execution that succeeded is known from that one, so successes are not read. */
const STATUSES = ['crashed', 'error', 'running', 'new', 'waiting', 'canceled'];
const PAGE = 250;

export class RecoveryApi {
  constructor(private readonly api: N8nApi) {}

  async workflowsTagged(tag: string): Promise<TaggedWorkflow[]> {
    const found: TaggedWorkflow[] = [];
    const path = `/workflows?excludePinnedData=true&tags=${encodeURIComponent(tag)}`;
    for await (const workflow of this.pages(path, workflowSchema)) {
      const { saveDataErrorExecution, saveDataSuccessExecution } = workflow.settings ?? {};
      found.push({
        ...{ id: workflow.id, name: workflow.name },
        savesFailures: isSaved(saveDataErrorExecution),
        savesSuccesses: isSaved(saveDataSuccessExecution),
      });
    }
    return found;
  }

  /** Those of a workflow that are not older; no successes. */
  async executionsOf(workflowId: string, { sinceMs, sinceId }: Since): Promise<SeenExecution[]> {
    const found: SeenExecution[] = [];
    for (const status of STATUSES) {
      const path = `/executions?workflowId=${encodeURIComponent(workflowId)}&status=${status}`;
      for await (const { startedAt, stoppedAt, ...rest } of this.pages(path, executionSchema)) {
        // They come by falling id, in the order in which they were made.
        if (sinceId !== undefined && Number(rest.id) < Number(sinceId)) break;
        if (startedAt !== null && startedAt < sinceMs) break;
        found.push({ ...rest, startedAtMs: startedAt, stoppedAtMs: stoppedAt });
      }
    }
    // One that has ended between two of the lists is in both: the later one counts.
    return [...new Map(found.map((execution) => [execution.id, execution])).values()];
  }

  async stored(executionId: string): Promise<Stored> {
    const path = `/executions/${executionId}?includeData=true&ignoreDataSizeLimit=true`;
    const { data } = storedSchema.parse(await this.api.ask('GET', path));
    if (data === null || data === undefined) return 'no data';
    return {
      next: (data.executionData?.nodeExecutionStack ?? []).map(({ node }) => node.name),
      ran: Object.keys(data.resultData?.runData ?? {}),
      error: data.resultData?.error?.message ?? null,
    };
  }

  /** n8n answers when the retry has ended. */
  async retry(executionId: string, withinMs: number): Promise<{ id: string; status: string }> {
    const path = `/executions/${executionId}/retry`;
    const reply = await this.api.ask('POST', path, { body: {}, withinMs });
    const { id: retryId, status } = retriedSchema.parse(reply);
    return { id: retryId, status: status ?? 'unknown' };
  }

  private async *pages<Row extends z.ZodType>(
    path: string,
    row: Row,
  ): AsyncGenerator<z.output<Row>> {
    const schema = page(row);
    let cursor = '';
    do {
      const reply = schema.parse(
        await this.api.ask('GET', `${path}&limit=${String(PAGE)}${cursor}`),
      );
      yield* reply.data;
      const { nextCursor } = reply;
      cursor =
        nextCursor === null || nextCursor === undefined
          ? ''
          : `&cursor=${encodeURIComponent(nextCursor)}`;
    } while (cursor !== '');
  }
}

const isSaved = (setting: string | undefined): boolean | null =>
  setting === 'all' ? true : setting === 'none' ? false : null;
