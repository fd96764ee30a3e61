/** What recovery asks of an n8n, by its public API alone. The chart carries it too, so it needs no package. */
import {
  fieldsIn,
  storedIn,
  textIn,
  partIn,
  type ExecutionStatus,
  type SeenExecution,
  type Stored,
} from '../../analysis/n8n-execution';
import { ApiRefusal, TooLarge, type N8nApi } from '../../targets/url/api';
import { rowsOf } from '../../targets/url/pages';
import { Failure, Mistake } from '../../ui/errors';
import { compareVersions } from '../../ui/versions';

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
  /** That were made after this one; few are expected. */
  afterId?: number;
}

/**
 * A retry of an execution that succeeded is known from that one, so successes are not read. In the order in which one status
 * follows another: what changes between two of the lists is in both, or in the later one.
 */
const STATUSES = ['new', 'waiting', 'running', 'crashed', 'error', 'canceled'] as const;
/** The first n8n whose API knows them is 2.13. */
const NEWER_STATUSES: ReadonlySet<string> = new Set(['new', 'crashed']);
const PAGE = 250;
/** A list of what is newer than the last one ends within it, or is asked for anew. */
const FEW = 10;
/** The chart's Job may have 256 MiB, and what is read takes about six times its size as objects. */
const MAX_BYTES = 16 * 2 ** 20;

/** The first n8n whose API lists executions by the statuses `crashed` and `new`. */
const OLDEST = '2.13.0';
const isInvalid = (error: unknown): boolean => error instanceof ApiRefusal && error.status === 400;
/** A proxy says so too while n8n is away. */
const isGone = (error: unknown): boolean =>
  error instanceof ApiRefusal && error.status === 404 && error.isOfN8n;

/** @throws Mistake: an older n8n shows no lost execution, which looks as if nothing were lost. */
export function refuseOlder(n8n: string | null): void {
  if (n8n !== null && compareVersions(n8n, OLDEST) >= 0) return;
  const what = n8n === null ? 'this n8n is older' : `this n8n is ${n8n}`;
  throw new Mistake(
    `recover requires n8n ${OLDEST} or newer, whose API can list crashed executions, but ${what}: retry the executions in the editor, or upgrade n8n.`,
  );
}

export class RecoveryApi {
  constructor(private readonly api: N8nApi) {}

  async workflowsTagged(tag: string): Promise<TaggedWorkflow[]> {
    const found: TaggedWorkflow[] = [];
    const path = `/workflows?excludePinnedData=true&tags=${encodeURIComponent(tag)}`;
    for await (const row of rowsOf(this.api, path, { size: PAGE })) {
      const settings = partIn(row, 'settings');
      found.push({
        id: idIn(row, 'id'),
        name: textIn(row, 'name') ?? idIn(row, 'id'),
        savesFailures: isSaved(textIn(settings, 'saveDataErrorExecution')),
        savesSuccesses: isSaved(textIn(settings, 'saveDataSuccessExecution')),
      });
    }
    return found;
  }

  /** Those of a workflow that are not older; no successes. */
  async executionsOf(workflowId: string, since: Since): Promise<SeenExecution[]> {
    const found: SeenExecution[] = [];
    for (const status of STATUSES) {
      const path = `/executions?workflowId=${encodeURIComponent(workflowId)}&status=${status}`;
      found.push(...(await this.listed(path, status, since)));
    }
    // One that has ended between two of the lists is in both: the later one counts.
    return [...new Map(found.map((execution) => [execution.id, execution])).values()];
  }

  private async listed(
    path: string,
    status: string,
    { sinceMs, afterId = 0 }: Since,
  ): Promise<SeenExecution[]> {
    const upTo = async (size: number, max?: number): Promise<[SeenExecution[], boolean]> => {
      const found: SeenExecution[] = [];
      const rows = rowsOf(this.api, path, { size, ...(max === undefined ? {} : { max }) });
      for await (const row of NEWER_STATUSES.has(status) ? ofThisN8n(rows) : rows) {
        const execution = executionIn(row);
        const { id, startedAtMs } = execution;
        // They come by falling id, in the order in which they were made.
        if (Number(id) <= afterId) return [found, true];
        if (startedAtMs !== null && startedAtMs < sinceMs) return [found, true];
        found.push(execution);
      }
      return [found, found.length < size];
    };
    const [few, isAll] = afterId > 0 ? await upTo(FEW, 1) : [[], false];
    return isAll ? few : (await upTo(PAGE))[0];
  }

  async execution(executionId: string): Promise<SeenExecution | null> {
    try {
      return executionIn(await this.api.ask('GET', `/executions/${executionId}`));
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }

  async newestOf(workflowId: string): Promise<number> {
    const path = `/executions?workflowId=${encodeURIComponent(workflowId)}&limit=1`;
    const { data } = await this.api.ask<{ data: unknown[] }>('GET', path);
    return data[0] === undefined ? 0 : Number(idIn(data[0], 'id'));
  }

  /**
   * Does not ask n8n for data that is too large to be read: its main would have to hold it whole, whatever of it is read here.
   * An n8n that tells no size does not go beyond a limit of its own.
   */
  async stored(executionId: string): Promise<Stored> {
    const path = `/executions/${executionId}`;
    try {
      const size = Number(fieldsIn(await this.api.ask('GET', path))?.['jsonSizeBytes'] ?? 0);
      if (size > MAX_BYTES) return 'too large';
      const withData = `${path}?includeData=true`;
      const ask = (asked: string): Promise<unknown> =>
        this.api.ask('GET', asked, { maxBytes: MAX_BYTES });
      const reply =
        size > 0
          ? await ask(`${withData}&ignoreDataSizeLimit=true`).catch((error: unknown) => {
              if (isInvalid(error)) return ask(withData);
              throw error;
            })
          : await ask(withData);
      if (fieldsIn(reply)?.['dataTooLargeToDisplay'] === true) return 'too large';
      const data = partIn(reply, 'data');
      return data === null ? 'no data' : storedIn(data);
    } catch (error) {
      if (error instanceof TooLarge) return 'too large';
      // Deleted since it was listed, or n8n has its row and no data of it.
      if (isGone(error)) return 'no data';
      throw error;
    }
  }

  /** n8n answers when the retry has ended. */
  async retry(executionId: string, withinMs: number): Promise<{ id: string; status: string }> {
    const path = `/executions/${executionId}/retry`;
    const reply: unknown = await this.api.ask('POST', path, { body: {}, withinMs });
    return { id: idIn(reply, 'id'), status: textIn(reply, 'status') ?? 'unknown' };
  }
}

/** The first that is asked for is a status that older n8n does not have. */
async function* ofThisN8n<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  try {
    yield* rows;
  } catch (error) {
    if (isInvalid(error)) refuseOlder(null);
    throw error;
  }
}

/** Ids are numbers or texts, by the version and the place. */
function idOrNull(value: unknown, name: string): string | null {
  const found = fieldsIn(value)?.[name];
  return typeof found === 'string' || typeof found === 'number' ? String(found) : null;
}

function idIn(value: unknown, name: string): string {
  const id = idOrNull(value, name);
  if (id === null) throw new Failure(`the n8n API returned an object without the field ${name}`);
  return id;
}

function timeIn(value: unknown, name: string): number | null {
  const ms = Date.parse(textIn(value, name) ?? '');
  return Number.isNaN(ms) ? null : ms;
}

function executionIn(row: unknown): SeenExecution {
  const status = textIn(row, 'status');
  return {
    id: idIn(row, 'id'),
    workflowId: idIn(row, 'workflowId'),
    status: KNOWN.has(status ?? '') ? (status as ExecutionStatus) : 'unknown',
    mode: textIn(row, 'mode') ?? '',
    retryOf: idOrNull(row, 'retryOf'),
    retrySuccessId: idOrNull(row, 'retrySuccessId'),
    startedAtMs: timeIn(row, 'startedAt'),
    stoppedAtMs: timeIn(row, 'stoppedAt'),
  };
}

const KNOWN = new Set<string>([...STATUSES, 'success']);

const isSaved = (setting: string | null): boolean | null =>
  setting === 'all' ? true : setting === 'none' ? false : null;
