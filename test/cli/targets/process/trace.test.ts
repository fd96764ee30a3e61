import type { TracedExecutions } from '../../../../cli/src/analysis/traced-execution';
import { ledgerOf } from '../../../../cli/src/features/drill/analysis/ledger';
import type { RequestSample } from '../../../../cli/src/record/run-record';
import type { Database, DatabaseRow } from '../../../../cli/src/targets/process/database';
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
}

function databaseOf(stand: Stand): Database {
  const row = (id: number): DatabaseRow => ({
    ...{ id, mode: 'webhook', status: 'success', ended: 1, dropped: false, elsewhere: false },
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

test.each(['', '","done"]', '\\","done\\"]'])('an id ends before %j', async (rest) => {
  expect(await traced({ ids: [1], givenOut: 1, rest }, HOUR_MS)).toMatchObject({
    executions: [{ loadId: `${RUN}-0-1` }],
  });
});
