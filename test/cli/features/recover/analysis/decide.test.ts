import {
  decide,
  settledKey,
  type RecoveryDecision,
} from '../../../../../cli/src/features/recover/analysis/decide';
import {
  isCrash,
  RUNNER_DIED,
  STALLED,
  type SeenExecution,
  type Stored,
} from '../../../../../cli/src/analysis/n8n-execution';

/** Single cases of what is decided; test/cli/features/recover/pass.test.ts has random histories of passes. */

const NOW_MS = 1_000_000_000;
const RULES = { maxAttempts: 3, minAgeMs: 300_000, backOffMs: 60_000 };

const seen = (id: string, given: Partial<SeenExecution> = {}): SeenExecution => ({
  ...{ id, workflowId: 'w', status: 'crashed', mode: 'webhook', retryOf: null },
  ...{ retrySuccessId: null, startedAtMs: NOW_MS - 900_000, stoppedAtMs: NOW_MS - 900_000 },
  ...given,
});
const stored = (error: string | null, failedNode: string | null = null): Stored => ({
  ...{ next: ['Webhook'], waits: [], ran: [], error, failedNode, runnerId: null },
});
const died = { error: RUNNER_DIED, failedNode: 'Work', runnerId: 'a runner' };
const decided = (
  executions: SeenExecution[],
  looked: Record<string, Stored> = {},
  queued: ReadonlySet<string> | null = new Set(),
  settled: ReadonlySet<string> = new Set(),
  done: ReadonlyMap<string, number> = new Map(),
  isWorkTold = true,
): RecoveryDecision | undefined => {
  const stored = new Map(Object.entries(looked));
  const view = { nowMs: NOW_MS, executions, stored, settled, queued, done, isWorkTold };
  return decide(view, RULES)[0];
};

test('what a worker has run to its end is not retried, whatever n8n has stored of it or of its retry', () => {
  const none = new Set<string>();
  for (const status of ['error', 'crashed', 'running'] as const) {
    const given = [seen('1', { status })];
    const mark = new Map([['1', NOW_MS]]);
    expect(decided(given, { 1: stored(STALLED) }, none, none, mark)).toMatchObject({
      ...{ kind: 'fine', why: 'done' },
    });
    expect(decided(given, { 1: stored(STALLED) })?.kind).toBe('retry');
    const retried = [seen('1'), seen('2', { status, retryOf: '1' })];
    const looked = { 1: stored(STALLED), 2: stored(STALLED) };
    expect(decided(retried, looked, none, none, new Map([['2', NOW_MS]]))).toMatchObject({
      ...{ kind: 'fine', why: 'recovered' },
    });
    // That of an execution which had this id in another database.
    const older = new Map([['1', NOW_MS - 2_000_000]]);
    expect(decided(given, { 1: stored(STALLED) }, none, none, older)?.kind).toBe('retry');
  }
});

test('what is too large to be read is left alone, whatever n8n calls it', () => {
  for (const status of ['error', 'crashed'] as const) {
    expect(decided([seen('1', { status })], { 1: 'too large' })).toMatchObject({
      ...{ kind: 'leave', isFinal: true },
      reason: expect.stringContaining('check the execution in the editor') as string,
    });
  }
});

test('what an earlier pass has seen to have failed by itself is not looked at again', () => {
  const failed = seen('1', { status: 'error' });
  expect(decided([failed], {}, null, new Set([settledKey(failed)]))).toMatchObject({
    ...{ kind: 'fine', why: 'settled' },
  });
  expect(decided([failed])).toMatchObject({ kind: 'look' });
});

describe('a crash', () => {
  test.each([
    [STALLED],
    ['job stalled more than allowable limit'],
    ['Workflow did not finish, possible out-of-memory issue'],
    ['Driver not Connected'],
    ['Timed out after 30000ms waiting for database connection recovery'],
    ['terminating connection due to administrator command'],
    ['sorry, too many clients already'],
    ['Client has encountered a connection error and is not queryable'],
    ['Client was closed and is not queryable'],
    ['Query runner already released. Cannot run queries anymore.'],
    ['too many connections for role "n8n"'],
    ['cannot execute UPDATE in a read-only transaction'],
    ['read ECONNRESET'],
    ['could not extend file "base/16384/16437": No space left on device'],
    ['remaining connection slots are reserved for roles with the SUPERUSER attribute'],
  ])('is what n8n itself says, word by word: %s', (error) => {
    expect(isCrash(stored(error))).toBe(true);
    expect(isCrash(stored(error, 'Call another n8n'))).toBe(false);
    expect(isCrash(stored(`The other n8n says: ${error}`))).toBe(false);
    expect(isCrash(stored(error.slice(0, -1)))).toBe(false);
  });

  test.each([
    'connect ECONNREFUSED 10.0.0.7:5432',
    'getaddrinfo ENOTFOUND postgres.example',
    'password authentication failed for user "n8n"',
    'role "n8n" is not permitted to log in',
    'no more connections allowed (max_client_conn)',
  ])('is also what the network and a pooler say, with any address: %s', (error) => {
    expect(isCrash(stored(error))).toBe(true);
    expect(isCrash(stored(error, 'Call another n8n'))).toBe(false);
    expect(isCrash(stored(`The other n8n says: ${error}`))).toBe(false);
  });

  test.each(['The import did not finish in time', 'job stalled', null])(
    'is no failure of a node: %s',
    (error) => {
      expect(isCrash(stored(error))).toBe(false);
      const failed = seen('1', { status: 'error' });
      expect(decided([failed], { 1: stored(error, 'Work') })).toMatchObject({
        ...{ kind: 'fine', why: 'failed' },
      });
    },
  );
});

describe('one whose task runner died', () => {
  const looked = { 1: { next: ['Work'], waits: [], ran: ['Webhook'], ...died } };

  test('is retried from its node', () => {
    expect(decided([seen('1', { status: 'error' })], looked)).toMatchObject({
      ...{ kind: 'retry', attempt: 1, next: ['Work'] },
    });
  });

  test('is left where another one called it, which is not retried for that', () => {
    const sub = seen('1', { status: 'error', mode: 'integrated' });
    expect(decided([sub], looked)).toMatchObject({
      ...{ kind: 'leave', isFinal: true },
      reason: expect.stringMatching(/the execution that called it has failed, and is not retried$/),
    });
  });

  test('is known by the runner that n8n names, not by its words alone', () => {
    expect(isCrash({ ...looked[1], runnerId: null })).toBe(false);
    expect(isCrash({ ...looked[1], error: 'Node ran out of memory' })).toBe(false);
  });
});

test.each([
  ['webhook', 'retry'],
  ['trigger', 'retry'],
  ['error', 'retry'],
  ['agent', 'retry'],
  ['chat', 'leave'],
  ['evaluation', 'leave'],
  // Without a job they may be at work.
  ['integrated', 'fine'],
  ['manual', 'fine'],
  ['cli', 'fine'],
  ['internal', 'fine'],
])('one that n8n has as running, without a job, in mode %s: %s', (mode, kind) => {
  const running = seen('1', { mode, status: 'running', stoppedAtMs: null });
  const looked = { 1: stored(null) };
  expect(decided([running], looked)?.kind).toBe(kind);
  expect(decided([running], looked, new Set(['1']))).toMatchObject({ why: 'at work' });
});

describe('where a worker may run something that it does not tell', () => {
  const none = new Set<string>();
  const untold = (
    executions: SeenExecution[],
    queued = none,
    done: ReadonlyMap<string, number> = new Map(),
  ): RecoveryDecision | undefined =>
    decided(executions, { 1: stored(STALLED) }, queued, none, done, false);
  const running = seen('1', { status: 'running', stoppedAtMs: null });
  const MAY_RUN =
    'may still be running without a job, because not every worker is known to report what it runs (keep-stalled)';

  test('what n8n has as running is not retried without its job', () => {
    expect(untold([running])).toMatchObject({
      ...{ kind: 'leave', reason: `it ${MAY_RUN}`, isFinal: false },
    });
    expect(untold([running], new Set(['1']))).toMatchObject({ why: 'at work' });
    expect(untold([running], none, new Map([['1', NOW_MS]]))).toMatchObject({ why: 'done' });
  });

  test('a retry that n8n has as running goes on, and no other is begun', () => {
    const retry = seen('2', { mode: 'retry', retryOf: '1', status: 'running', stoppedAtMs: null });
    expect(untold([seen('1'), retry])).toMatchObject({
      ...{ kind: 'leave', reason: `its retry 2 ${MAY_RUN}`, isFinal: false },
    });
  });

  test('what n8n has failed since its worker died is retried', () => {
    expect(untold([seen('1', { status: 'error' })])?.kind).toBe('retry');
  });
});

describe('a retry', () => {
  const retry = (given: Partial<SeenExecution>): SeenExecution =>
    seen('2', { mode: 'retry', retryOf: '1', stoppedAtMs: null, ...given });
  const after = (
    given: Partial<SeenExecution>,
    queued: ReadonlySet<string> | null = new Set(),
  ): RecoveryDecision | undefined =>
    decided([seen('1'), retry(given)], { 1: stored(null) }, queued);

  test('that is running without a job and old enough was lost, as an attempt', () => {
    expect(after({ status: 'running' })).toMatchObject({ kind: 'retry', attempt: 2 });
    expect(after({ status: 'running', startedAtMs: NOW_MS - 1000 })).toMatchObject({
      ...{ kind: 'leave', reason: 'its retry 2 has not ended' },
    });
  });

  test.each<[string, Partial<SeenExecution>, ReadonlySet<string> | null, string]>([
    ['has a job', { status: 'running' }, new Set(['2']), 'has not ended'],
    ['may have one', { status: 'running' }, null, 'has not ended'],
    // When it was made n8n does not tell.
    ['may be about to get one', { status: 'new', startedAtMs: null }, new Set(), 'has not begun'],
    ['waits', { status: 'waiting' }, new Set(), 'is waiting, and n8n will resume it'],
  ])('that %s goes on, and no other is begun', (_, given, queued, reason) => {
    expect(after(given, queued)).toMatchObject({
      ...{ kind: 'leave', reason: `its retry 2 ${reason}`, isFinal: false },
    });
  });

  test('that found a file missing says so', () => {
    const failed = retry({ status: 'error', stoppedAtMs: NOW_MS - 600_000 });
    const looked = { 1: stored(null), 2: stored('File not found', 'Read') };
    expect(decided([seen('1'), failed], looked)).toMatchObject({
      ...{ kind: 'leave', isFinal: true },
      reason:
        'its retry 2 did not find a file, for example because binary data was lost together with a pod',
    });
  });
});

test('one that waits is neither lost nor at work', () => {
  expect(decided([seen('1', { status: 'waiting' })])?.kind).toBe('waiting');
});

describe('one that has no node left to run', () => {
  const over = { next: [], waits: [], ran: ['Webhook', 'Work'], failedNode: null, runnerId: null };
  const failed = seen('1', { status: 'error' });

  test.each(['Driver not Connected', STALLED])(
    'has run to its end, whatever n8n says: %s',
    (error) => {
      expect(decided([failed], { 1: { ...over, error } })).toMatchObject({
        ...{ kind: 'fine', why: 'done' },
      });
    },
  );

  test('is done as well where n8n, which died before it stored the end, calls it crashed', () => {
    expect(decided([seen('1')], { 1: { ...over, error: null } })).toMatchObject({ why: 'done' });
  });

  test('has recovered the execution that it is a retry of', () => {
    const retry = seen('2', { status: 'error', mode: 'retry', retryOf: '1' });
    const looked = { 1: stored(STALLED), 2: { ...over, error: 'Connection terminated' } };
    expect(decided([failed, retry], looked)).toMatchObject({ kind: 'fine', why: 'recovered' });
  });

  test('is lost where a node waits for more of its input, which no retry begins with', () => {
    expect(decided([failed], { 1: { ...over, waits: ['Merge'], error: STALLED } })).toMatchObject({
      ...{ kind: 'leave', isFinal: true },
      reason: expect.stringMatching(
        /^n8n cannot start a retry at a node that has received only part of its input/,
      ),
    });
  });

  test('is lost where nothing is stored of its nodes', () => {
    expect(decided([failed], { 1: { ...over, ran: [], error: STALLED } })).toMatchObject({
      ...{ kind: 'leave', isFinal: true },
      reason: expect.stringMatching(/^n8n overwrote its data with an empty run/),
    });
  });
});
