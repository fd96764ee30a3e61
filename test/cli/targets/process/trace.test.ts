import type {
  ExecutionsSeen,
  TracedExecutions,
} from '../../../../cli/src/analysis/traced-execution';
import { ledgerOf } from '../../../../cli/src/features/drill/analysis/ledger';
import type { RequestSample } from '../../../../cli/src/record/run-record';
import {
  countExecutions,
  isOfLegacy,
  type Database,
  type DatabaseRow,
} from '../../../../cli/src/targets/process/database';
import { traceFromNow } from '../../../../cli/src/targets/process/trace';
import { N8N_VERSION } from '../../../support/versions';
import { pause } from '../../../support/wait';

/** Executions of a run in n8n's database, whose sequence gives out more ids than there are executions. */

const RUN = 'run';
const HOUR_MS = 3_600_000;

interface Stand {
  /** Rows with these ids. */
  ids: number[];
  /** The last id that the sequence has given out. */
  givenOut: number;
  /** Workflows whose own settings have executions deleted. */
  dropping?: number;
  /** What follows an id in the data of its execution. */
  rest?: string;
  /** Data of those that failed, by their ids; null: the database does not answer. */
  failed?: Record<number, string> | null;
}

function databaseOf(stand: Stand): Database {
  const row = (id: number): DatabaseRow => ({
    ...{ id, mode: 'webhook', ended: 1, dropped: false, elsewhere: false },
    status: stand.failed === null || id in (stand.failed ?? {}) ? 'error' : 'success',
    ...{ stalled: false, cut: `${RUN}-0-${String(id)}${stand.rest ?? ''}` },
  });
  return {
    kind: 'postgresql',
    query: (sql) => {
      if (sql.includes('pg_sequence_last_value')) {
        return Promise.resolve([{ newest: stand.givenOut }]);
      }
      if (sql.includes('FROM workflow_entity')) {
        return Promise.resolve([{ dropping: stand.dropping ?? 0 }]);
      }
      if (/^SELECT "executionId" AS id, data/.test(sql)) {
        const { failed } = stand;
        if (failed === null) return Promise.reject(new Error('cut short'));
        const rows = Object.entries(failed ?? {}).map(([id, data]) => ({ id, data }));
        return Promise.resolve(rows.filter(({ id }) => sql.includes(`IN (${id}`)));
      }
      const after = Number(/e\.id > (\d+)/.exec(sql)?.[1]);
      return Promise.resolve(stand.ids.filter((id) => id > after).map(row));
    },
  };
}

/** After a crash of PostgreSQL the sequence has passed over 32 ids, and 2 belonged to INSERTs that were rolled back. */
const CRASHED: Stand = { ids: [1, 2, 3, 37, 38], givenOut: 40 };

/** Begun before the first of them, and read after the last. */
async function traced(stand: Stand, keptMs: number): Promise<TracedExecutions> {
  const now = { ...stand, givenOut: 0 };
  const trace = await traceFromNow(databaseOf(now), N8N_VERSION, keptMs);
  now.givenOut = stand.givenOut;
  await pause(2, 'some milliseconds later by any clock');
  return { source: trace.source, ...(await trace.read(RUN, 1000)) };
}

const request = (id: number, given: Partial<RequestSample> = {}): RequestSample => ({
  ...{
    tMs: id,
    durationMs: 20,
    status: 200,
    ok: true,
    errorKind: '',
    id: `${RUN}-0-${String(id)}`,
  },
  ...{ workload: 'side-effect', ranBy: '', ...given },
});

test('ids that were never those of an execution are none that are missing', async () => {
  const executions = await traced(CRASHED, HOUR_MS);
  expect(executions).toMatchObject({ made: 5 });
  const cut = { ok: false, status: 500, errorKind: 'status 500' };
  const ledger = ledgerOf({
    ...{ runId: RUN, executions, effects: null, answers: 'when-done' },
    requests: [...CRASHED.ids.map((id) => request(id)), request(4, cut)],
  });
  expect(ledger.withoutExecutions).toBeNull();
  expect([ledger.counts.once, ledger.counts.refused, ledger.counts.unknown]).toEqual([5, 1, 0]);
});

test.each([
  ['its settings have some deleted', CRASHED, 0],
  ['a workflow has its own deleted', { ...CRASHED, dropping: 1 }, HOUR_MS],
  ['they may have been pruned since', CRASHED, 0.001],
])('they may be missing where %s', async (_, stand, keptMs) => {
  expect(await traced(stand, keptMs)).toMatchObject({ made: 40 });
});

test.each([
  ['postgresql' as const, 1, false],
  ['postgresql' as const, 0, true],
  ['sqlite' as const, 1, false],
  ['sqlite' as const, 0, true],
])(
  'where the version of n8n is unknown, its tables in %s tell how it keeps executions: %d',
  async (kind, tables, isOld) => {
    const asked: string[] = [];
    const database: Database = {
      kind,
      query: (sql) => {
        asked.push(sql);
        return Promise.resolve([{ tables, succeeded: 2, failed: 1, unfinished: 0 }]);
      },
    };
    expect(await isOfLegacy(database, null)).toBe(isOld);
    expect(asked).toEqual([expect.stringContaining('execution_data')]);
    expect(await countExecutions(database, null)).toMatchObject({ succeeded: 2, failed: 1 });
    expect(asked.at(-1)?.includes('deletedAt')).toBe(!isOld);
    asked.length = 0;
    expect(await isOfLegacy(database, '0.221.2')).toBe(true);
    expect(await isOfLegacy(database, N8N_VERSION)).toBe(false);
    expect(asked).toEqual([]);
  },
);

test.each(['', '","done"]', '\\","done\\"]'])('an id ends before %j', async (rest) => {
  expect(await traced({ ids: [1], givenOut: 1, rest }, HOUR_MS)).toMatchObject({
    executions: [{ loadId: `${RUN}-0-1` }],
  });
});

describe('of an execution that failed, n8n', () => {
  const packed = (error: object, runs: string): string =>
    JSON.stringify([
      ...[
        { resultData: '1', executionData: '2' },
        { error: '3', runData: '4' },
      ],
      ...[{ nodeExecutionStack: '5' }, error, { Work: '6' }, [], ['7'], { error: '3', data: '8' }],
      // It lies in itself, as what nodes put out may.
      ...[
        { main: '8' },
        'the service is away',
        { name: '11' },
        runs,
        'Node execution failed',
        'r1',
      ],
    ]);

  test.each<[string, object, object]>([
    [
      'shows the error of a node',
      { message: '9', node: '10' },
      { hasFailedNode: true, error: 'the service is away' },
    ],
    [
      'shows the same error of its last run',
      { message: '9' },
      { hasFailedNode: true, error: 'the service is away' },
    ],
    [
      'says that a task runner died in a node',
      { message: '12', runnerId: '13' },
      { error: 'Node execution failed' },
    ],
  ])('%s', async (_, error, shown) => {
    const { executions } = (await traced(
      { ids: [1], givenOut: 1, failed: { 1: packed(error, 'Work') } },
      HOUR_MS,
    )) as ExecutionsSeen;
    expect(executions).toEqual([
      { loadId: `${RUN}-0-1`, outcome: 'failed', endedAtMs: 1, ...shown },
    ]);
  });

  test('shows an error that is of no node', async () => {
    const data = JSON.stringify([
      ...[{ resultData: '1' }, { error: '2', runData: '3' }, { message: '4' }, {}],
      'Execution data could not be stored',
    ]);
    const seen = await traced({ ids: [1], givenOut: 1, failed: { 1: data } }, HOUR_MS);
    expect(seen).toMatchObject({ executions: [{ outcome: 'failed' }] });
    expect(JSON.stringify(seen)).not.toContain('hasFailedNode');
  });

  test('does not say why in time, and all else is known', async () => {
    const seen = await traced({ ids: [1], givenOut: 1, failed: null }, HOUR_MS);
    expect(seen).toMatchObject({ executions: [{ loadId: `${RUN}-0-1`, outcome: 'failed' }] });
    expect(JSON.stringify(seen)).not.toContain('hasFailedNode');
  });
});
