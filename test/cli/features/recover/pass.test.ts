import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import fc from 'fast-check';
import { STALLED } from '../../../../cli/src/analysis/n8n-execution';
import { RecoveryApi } from '../../../../cli/src/features/recover/n8n';
import {
  BrokenPass,
  isAnythingLost,
  pass,
  summaryOf,
  type PassOrder,
  type PassReport,
} from '../../../../cli/src/features/recover/pass';
import { NOTHING_KNOWN } from '../../../../cli/src/features/recover/saves';
import { N8nApi } from '../../../../cli/src/targets/url/api';
import { ENQUEUED_WITHIN_MS, ModelN8n, SLOW_MS, TOLD_WITHIN_MS, type Work } from './model';
import { pause } from '../../../support/wait';

/** Passes of recovery nothing is lost or done twice over random histories: everything that can be is done at least once, and nothing twice unseen. */

const RULES = { maxAttempts: 3, minAgeMs: 300_000, backOffMs: 60_000 };
const OLD_MS = 600_000;

const orderOf = (given: Partial<PassOrder> = {}): PassOrder => ({
  workflows: [{ id: 'w', name: 'Work', savesFailures: null, savesSuccesses: true }],
  ...{ rules: RULES, saves: NOTHING_KNOWN },
  ...{ sinceMs: 0, retries: true, atOnce: 2, stopAfterLost: 1000 },
  ...given,
});
const never = new AbortController().signal;
const quiet = (): void => undefined;
const run = (n8n: ModelN8n, given: Partial<PassOrder> = {}) =>
  pass(n8n, orderOf(given), quiet, never);

const work = (given: Partial<Work> = {}): Work => ({
  ...{ begins: 'lost', mode: 'webhook', fates: ['success'], ageMs: OLD_MS },
  ...given,
});

const works = fc.array(
  fc.record<Work>({
    begins: fc.constantFrom(
      ...([
        'lost',
        'lost and emptied',
        'not noted',
        'stalled',
        'runner died',
        'failed',
        'at work',
        'queued',
        'called crashed',
        'called failed',
        'resumed',
        'lives',
        'lives, called failed',
        'wakes',
        'not stored',
        'waiting',
      ] as const),
    ),
    mode: fc.constantFrom('webhook', 'trigger', 'error', 'integrated', 'manual'),
    fates: fc.array(
      fc.constantFrom('success', 'failure', 'crash', 'no response', 'not noted', 'slow', 'dies'),
      {
        ...{ minLength: 1, maxLength: 4 },
      },
    ),
    ageMs: fc.constantFrom(1000, OLD_MS),
    enqueuedInMs: fc.nat({ max: ENQUEUED_WITHIN_MS }),
    toldInMs: fc.nat({ max: TOLD_WITHIN_MS }),
  }),
  { minLength: 1, maxLength: 12 },
);

/** By the meaning of each word, not by what the planner does. */
const isOurs = ({ begins, mode }: Work): boolean =>
  ['webhook', 'trigger', 'error'].includes(mode) &&
  ['lost', 'stalled', 'runner died', 'at work'].includes(begins);

test('nothing is lost or done twice over random histories', async () => {
  await fc.assert(
    fc.asyncProperty(
      works,
      fc.array(fc.nat({ max: 900_000 }), { minLength: 4, maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      async (given, waits, atOnce, hasMore) => {
        const n8n = new ModelN8n(given);
        for (const waitMs of waits) {
          await run(n8n, { atOnce });
          if (hasMore) await run(n8n);
          n8n.clockMs += waitMs;
        }
        // Long enough for what is slow, and for every back-off.
        for (let more = 0; more < 4; more += 1) {
          n8n.clockMs += 2 * SLOW_MS;
          await run(n8n);
        }
        expect([n8n.overlaps, n8n.doubles, n8n.emptyRuns]).toEqual([0, 0, 0]);
        given.forEach((one, index) => {
          const id = String(index + 1);
          const retries = n8n.retriesOf(id).length;
          expect(retries).toBeLessThanOrEqual(isOurs(one) ? RULES.maxAttempts : 0);
          expect(n8n.done(id)).toBeLessThanOrEqual(1);
          if (!isOurs(one)) return;
          // It is done, or its attempts are used up, or a retry has failed by itself.
          const { fates } = one;
          const upTo = Array.from(
            { length: RULES.maxAttempts },
            (_, at) => fates[at] ?? fates.at(-1),
          );
          const isEnd = (fate: string | undefined): boolean => fate !== 'crash' && fate !== 'dies';
          const end = upTo.find(isEnd);
          expect(n8n.done(id)).toBe(end === undefined || end === 'failure' ? 0 : 1);
          expect(retries).toBe(end === undefined ? RULES.maxAttempts : 1 + upTo.findIndex(isEnd));
        });
      },
    ),
  );
});

test.each(['lives', 'lives, called failed'] as const)(
  'what a worker runs (%s) is not retried where Redis has lost its data and the worker tells it again only after 25 s',
  async (begins) => {
    const n8n = new ModelN8n([work({ begins, toldInMs: TOLD_WITHIN_MS })]);
    const { attempts } = await run(n8n);
    expect([attempts.map(({ outcome }) => outcome), n8n.doubles]).toEqual([['no longer due'], 0]);
  },
);

test('where not every worker tells what it runs, what n8n has as running is left alone, and what it has failed is retried', async () => {
  const n8n = new ModelN8n([work({ begins: 'lives', toldInMs: 10 * SLOW_MS }), work()]);
  n8n.isTold = false;
  const report = await run(n8n);
  expect(report.attempts).toMatchObject([{ executionId: '2', outcome: 'recovered' }]);
  expect(report.left).toMatchObject([{ executionId: '1', isFinal: false }]);
  expect([n8n.doubles, isAnythingLost(report)]).toEqual([0, true]);
});

test('a worker that is started meanwhile and does not tell what it runs is heeded before each retry', async () => {
  const n8n = new ModelN8n([work({ begins: 'at work' })]);
  n8n.wait = (ms) => {
    n8n.isTold = false;
    n8n.clockMs += ms;
    return Promise.resolve();
  };
  expect((await run(n8n)).attempts).toMatchObject([
    { outcome: 'no longer due', text: expect.stringContaining('may still be running') as string },
  ]);
});

test('without being told to retry, it retries nothing and says what it would', async () => {
  const n8n = new ModelN8n([
    work(),
    work({ begins: 'lost and emptied' }),
    work({ begins: 'failed' }),
  ]);
  const report = await run(n8n, { retries: false });
  expect(n8n.executions.size).toBe(3);
  expect(report.due).toEqual([
    { executionId: '1', workflow: 'Work', attempt: 1, from: ['Webhook'] },
  ]);
  expect(report.left).toEqual([
    {
      ...{ executionId: '2', workflow: 'Work', isFinal: true },
      reason: expect.stringContaining('keep-stalled') as string,
    },
  ]);
  expect(isAnythingLost(report)).toBe(true);
});

test('a retry that n8n notes as a success, and that ran nothing, is no recovery', async () => {
  const n8n = new ModelN8n([work({ begins: 'lost and emptied' })]);
  await n8n.retry('1');
  expect(n8n.executions.get('1')?.retrySuccessId).toBe('2');
  const report = await run(n8n);
  expect([report.attempts, report.left.map(({ reason, isFinal }) => [reason, isFinal])]).toEqual([
    [],
    [[expect.stringContaining('its retry 2 ran no nodes') as string, true]],
  ]);
});

test('what ran to its end, and could not be stored as a success, is neither lost nor retried', async () => {
  const said: string[] = [];
  const n8n = new ModelN8n([work({ begins: 'not noted' })]);
  const report = await pass(n8n, orderOf(), (text) => void said.push(text), never);
  expect([isAnythingLost(report), report.attempts, report.left]).toEqual([false, [], []]);
  expect(said).toEqual([
    'execution 1 of Work: not lost: it finished, but n8n could not store its success',
  ]);
});

describe('the data of executions', () => {
  test.each([10, 100, 1_000])(
    'is read at most twice for each of %d that were lost',
    async (lost) => {
      const n8n = new ModelN8n(Array.from({ length: lost }, () => work()));
      const report = await run(n8n);
      expect(report.attempts).toHaveLength(lost);
      expect(n8n.reads).toBeLessThanOrEqual(2 * lost);
    },
  );

  test('is read once of what is settled, however many passes there are', async () => {
    const n8n = new ModelN8n([
      ...Array.from({ length: 500 }, () => work({ begins: 'failed' })),
      work(),
    ]);
    await run(n8n, { retries: false });
    expect(n8n.reads).toBe(501);
    // A pass that only lists keeps nothing.
    await run(n8n);
    expect(n8n.reads).toBe(501 + 502);
    // It has seen then that the lost one is recovered.
    await run(n8n);
    expect(n8n.reads).toBe(501 + 502 + 1);
    await run(n8n);
    expect(n8n.reads).toBe(501 + 502 + 1);
    // A database that was set up again has other executions under the same ids.
    const first = n8n.executions.get('1');
    if (first !== undefined) first.startedAtMs = (first.startedAtMs ?? 0) + 1;
    await run(n8n);
    expect(n8n.reads).toBe(501 + 502 + 2);
  });
});

describe('one execution of 200 MB among 100 that were lost is left, and the others are recovered', () => {
  const POISONED = '50';
  const CHUNK = Buffer.alloc(2 ** 20, 'x');
  const lost = {
    executionData: { nodeExecutionStack: [{ node: { name: 'Webhook' } }] },
    resultData: { error: { message: STALLED }, runData: {} },
  };

  /** How often n8n was asked for it, and how much of it n8n has sent, in two passes. */
  async function passes(
    told: object,
  ): Promise<{ asked: number; withData: number; sentMiB: number }> {
    const seen = { asked: 0, withData: 0, sentMiB: 0 };
    const server = createServer((request, reply) => {
      reply.setHeader('content-type', 'application/json');
      const url = request.url ?? '';
      const isPoisoned = new RegExp(`/executions/${POISONED}\\b`).test(url);
      const isData = url.includes('includeData');
      if (isPoisoned) seen.asked += 1;
      if (!isPoisoned || !isData) {
        reply.end(JSON.stringify({ ...(isPoisoned ? told : {}), data: lost }));
        return;
      }
      seen.withData += 1;
      reply.write('{"data":{"resultData":{"runData":{"Work":"');
      const send = (): void => {
        while (seen.sentMiB < 200 && !reply.destroyed) {
          seen.sentMiB += 1;
          if (!reply.write(CHUNK)) return;
        }
        reply.end('"}}}}');
      };
      reply.on('drain', send);
      send();
    }).listen(0, '127.0.0.1');
    // No connection that a busy machine left idle is to be closed under a request.
    server.keepAliveTimeout = 60_000;
    await once(server, 'listening');
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const api = new RecoveryApi(new N8nApi(url, 'a-key'));
    const n8n = new ModelN8n(Array.from({ length: 100 }, () => work({ begins: 'stalled' })));
    n8n.stored = (id) => api.stored(id);
    const reports: PassReport[] = [];
    try {
      reports.push(await run(n8n), await run(n8n));
    } finally {
      server.closeAllConnections();
      server.close();
    }
    expect(reports.map(({ attempts }) => attempts.map(({ outcome }) => outcome))).toEqual([
      ...[Array(99).fill('recovered'), []],
    ]);
    for (const { left } of reports) {
      expect(left.map(({ executionId, reason }) => [executionId, reason])).toEqual([
        [POISONED, expect.stringContaining('its data is too large') as string],
      ]);
    }
    return seen;
  }

  test('where n8n tells its size, it is never asked for its data, and once in all', async () => {
    expect(await passes({ jsonSizeBytes: 200 * 2 ** 20 })).toEqual({
      ...{ asked: 1, withData: 0, sentMiB: 0 },
    });
  });

  test('where n8n does not, its data is asked for once, and little of it is read', async () => {
    const { asked, withData, sentMiB } = await passes({});
    expect([asked, withData]).toEqual([2, 1]);
    // What recovery holds at most, and what the sockets between them do.
    expect(sentMiB).toBeGreaterThanOrEqual(16);
    expect(sentMiB).toBeLessThan(64);
  });
});

test('what is settled and can be neither read nor kept ends no pass, and is said', async () => {
  const n8n = new ModelN8n([work(), work({ begins: 'failed' })]);
  const refuse = (): Promise<never> => Promise.reject(new Error('NOPERM'));
  const hands = {
    ...{ nowMs: n8n.nowMs, executionsOf: n8n.executionsOf, stored: n8n.stored, retry: n8n.retry },
    ...{ execution: n8n.execution, newestOf: n8n.newestOf },
    ...{
      queued: n8n.queued,
      wait: n8n.wait,
      isWorkTold: n8n.isWorkTold,
      lagSeconds: n8n.lagSeconds,
      settled: { known: refuse, keep: refuse },
    },
    work: n8n.work,
  };
  const said: string[] = [];
  const report = await pass(hands, orderOf(), (text) => void said.push(text), never);
  expect(report.attempts).toMatchObject([{ outcome: 'recovered' }]);
  expect(said).toContain(
    'the list of settled executions could not be stored, so each pass reads these executions again: NOPERM',
  );
});

test('what n8n refuses to retry is given back to a worker that may come back', async () => {
  const n8n = new ModelN8n([work(), work()]);
  n8n.retry = (id) =>
    Promise.reject(new Error(`refused POST /executions/${id}/retry with status 403`));
  const report = await run(n8n);
  expect(report.attempts.map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
  expect(n8n.givenBack.sort()).toEqual(['1', '2']);
});

test('while many jobs wait for a worker, no retry begins, and it is said once', async () => {
  const n8n = new ModelN8n([work(), work()]);
  n8n.backlog = 160;
  const said: string[] = [];
  const before = n8n.clockMs;
  const report = await pass(n8n, orderOf({ atOnce: 1 }), (text) => void said.push(text), never);
  expect(report.attempts.map(({ outcome }) => outcome)).toEqual(['recovered', 'recovered']);
  expect(n8n.clockMs - before).toBeGreaterThanOrEqual(60_000);
  expect(said.filter((text) => text.startsWith('more than 100 jobs are waiting'))).toHaveLength(1);
});

test('while an event loop of n8n lags, no retry begins, and it is said once', async () => {
  const n8n = new ModelN8n([work(), work()]);
  const before = n8n.clockMs;
  n8n.lagsUntilMs = before + 60_000;
  const said: string[] = [];
  const report = await pass(n8n, orderOf({ atOnce: 1 }), (text) => void said.push(text), never);
  expect(report.attempts.map(({ outcome }) => outcome)).toEqual(['recovered', 'recovered']);
  expect(n8n.clockMs - before).toBeGreaterThanOrEqual(60_000);
  expect(said.filter((text) => text.startsWith('the event loop of n8n lags'))).toHaveLength(1);
});

test('while there is no room for retries at all, the pass ends after ten minutes, and says why', async () => {
  const n8n = new ModelN8n([work(), work()]);
  const before = n8n.clockMs;
  n8n.lagsUntilMs = Infinity;
  const { attempts, stopped, due } = await run(n8n, { atOnce: 1 });
  expect([attempts, due.length]).toEqual([[], 2]);
  expect(stopped).toMatch(
    /^no retry could start within 10 minutes, because the event loop of n8n lags/,
  );
  expect(n8n.clockMs - before).toBeLessThan(700_000);
});

test('a worker that is back right before the retry keeps its work, and no retry begins', async () => {
  const n8n = new ModelN8n([work({ begins: 'wakes' }), work()]);
  const report = await run(n8n);
  expect(report.attempts).toMatchObject([
    { outcome: 'no longer due', text: 'its worker is back, and is running the execution' },
    { outcome: 'recovered' },
  ]);
  expect(n8n.executions.size).toBe(3);
});

test('what another recovery took moments ago is left to it, and the others are retried', async () => {
  const n8n = new ModelN8n([work(), work(), work({ fates: ['no response'] })]);
  const { take } = n8n.work;
  n8n.work.take = (id) => (id === '1' ? Promise.resolve('taken elsewhere') : take(id));
  const report = await run(n8n);
  expect(report.attempts).toMatchObject([
    { outcome: 'no longer due', text: 'another recovery took it less than a minute ago' },
    { outcome: 'recovered' },
    { outcome: 'not known' },
  ]);
  // Once n8n has answered, or is not waited for any longer, its retry is there for others to see.
  expect(n8n.answered).toEqual(['2', '3']);
});

test('a recovery that stood still between the take and the retry begins no retry, since another one may have', async () => {
  const n8n = new ModelN8n([work()]);
  const { take } = n8n.work;
  n8n.work.take = (id) => {
    n8n.clockMs += 11_000;
    return take(id);
  };
  const { attempts } = await run(n8n);
  expect(attempts).toMatchObject([
    { outcome: 'no longer due', text: 'recovery stood still just before the retry' },
  ]);
  expect([n8n.executions.size, n8n.answered, n8n.givenBack]).toEqual([1, [], []]);
});

test('it stops where retries are lost one after the other', async () => {
  const n8n = new ModelN8n(Array.from({ length: 9 }, () => work({ fates: ['crash'] })));
  const report = await run(n8n, { atOnce: 1, stopAfterLost: 3 });
  expect(report.attempts.map(({ outcome }) => outcome)).toEqual(Array(3).fill('lost again'));
  expect(report.stopped).toMatch(/^3 consecutive retries were lost/);
});

test('retries that take longer than they are waited for, and live, are not taken for lost', async () => {
  const n8n = new ModelN8n(Array.from({ length: 9 }, () => work({ fates: ['slow'] })));
  const { attempts, stopped } = await run(n8n, { atOnce: 2, stopAfterLost: 3 });
  expect(stopped).toBeNull();
  expect(attempts).toHaveLength(9);
  expect(attempts[0]).toMatchObject({
    ...{ outcome: 'not known', retryId: '10', isUnderWay: true },
    text: 'did not respond, and retry 10 has not ended',
  });
  expect(n8n.overlaps).toBe(0);
});

test('retries that n8n has as running, and of which no worker knows, are lost one after the other', async () => {
  const n8n = new ModelN8n(Array.from({ length: 9 }, () => work({ fates: ['dies'] })));
  const { attempts, stopped } = await run(n8n, { atOnce: 1, stopAfterLost: 3 });
  expect(attempts.map(({ outcome }) => outcome)).toEqual(Array(3).fill('not known'));
  expect(stopped).toMatch(/^3 consecutive retries were lost/);
});

describe('the lists of executions', () => {
  interface Row {
    id: string;
    status: string;
  }
  /** n8n's API over the model, which counts what it is asked for. */
  async function counted(n8n: ModelN8n): Promise<{ lists: number; rows: number }> {
    const asked = { lists: 0, rows: 0 };
    const shown = (id: string) => {
      const { startedAtMs, stoppedAtMs, ...rest } = n8n.executions.get(id) ?? {};
      const [startedAt, stoppedAt] = [startedAtMs, stoppedAtMs].map((ms) =>
        ms === undefined || ms === null ? null : new Date(ms).toISOString(),
      );
      return { ...rest, startedAt, stoppedAt };
    };
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
      const { pathname, searchParams } = new URL(input as string);
      const id = /executions\/(\d+)$/.exec(pathname)?.[1];
      if (id !== undefined) return new Response(JSON.stringify(shown(id)));
      await n8n.queued();
      const status = searchParams.get('status');
      const limit = Number(searchParams.get('limit'));
      const before = Number(searchParams.get('cursor') ?? Infinity);
      const data: Row[] = [];
      for (const one of [...n8n.executions.values()].reverse()) {
        if (data.length === limit) break;
        if (Number(one.id) < before && (status ?? one.status) === one.status) data.push(one);
      }
      asked.lists += 1;
      asked.rows += data.length;
      const nextCursor = data.length === limit ? data.at(-1)?.id : null;
      const body = { data: data.map((row) => shown(row.id)), nextCursor };
      return new Response(JSON.stringify(body));
    });
    const api = new RecoveryApi(new N8nApi('http://n8n', 'a-key'));
    n8n.executionsOf = (id, since) => api.executionsOf(id, since);
    n8n.execution = (id) => api.execution(id);
    n8n.newestOf = () => api.newestOf('w');
    try {
      const { attempts } = await run(n8n);
      expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['recovered']));
      return asked;
    } finally {
      jest.restoreAllMocks();
    }
  }
  /** One of each status, which ends within its first page; the pages of what there is when the pass begins come on top. */
  const LISTS = 6;
  const PAGE = 250;

  test.each([
    [10, 0],
    [100, 0],
    [1_000, 0],
    [100, 5_000],
  ])(
    'are read once, and then a few rows right before each retry: %d lost, %d that failed later',
    async (lost, later) => {
      const n8n = new ModelN8n([
        ...Array.from({ length: lost }, () => work()),
        ...Array.from({ length: later }, () => work({ begins: 'failed' })),
      ]);
      const { lists, rows } = await counted(n8n);
      const pages = 1 + LISTS + (lost + later) / PAGE;
      expect(lists).toBeLessThanOrEqual(LISTS * lost + pages + 1);
      // The lost ones have one status, and those that failed another: a few of each are read.
      expect(rows).toBeLessThanOrEqual(1 + lost + later + 20 * lost);
    },
  );

  test('are read from their start where more came since than fit in a few rows', async () => {
    const n8n = new ModelN8n([work(), work()]);
    const { retry } = n8n;
    n8n.retry = (id) => {
      for (let more = 0; more < 40; more += 1) {
        const key = String(n8n.executions.size + 1);
        const first = n8n.executions.get('1');
        if (first !== undefined) {
          n8n.executions.set(key, { ...first, id: key, status: 'error', retrySuccessId: null });
        }
      }
      return retry(id);
    };
    const before = n8n.executions.size;
    const { lists } = await counted(n8n);
    expect(n8n.executions.size).toBe(before + 2 * 41);
    expect(lists).toBeLessThanOrEqual(1 + 3 * LISTS + 2);
  });

  test('show a retry that somebody else began after the pass had listed what there is', async () => {
    const n8n = new ModelN8n([work({ fates: ['slow'] }), work({ fates: ['slow'] })]);
    const { wait } = n8n;
    n8n.wait = async (ms) => {
      n8n.wait = wait;
      await n8n.retry('2').catch(quiet);
      return wait(ms);
    };
    const { attempts } = await run(n8n, { atOnce: 1 });
    expect(attempts.map(({ outcome, text }) => [outcome, text])).toEqual([
      ['not known', 'did not respond, and retry 4 has not ended'],
      ['no longer due', 'its retry 3 has not ended'],
    ]);
    expect(n8n.overlaps).toBe(0);
  });
});

test('where it stops, what is being looked at by then is left to the next pass', async () => {
  const n8n = new ModelN8n([work({ fates: ['crash'] }), work()]);
  const look = n8n.execution;
  const [first, ended] = [n8n.stored, new AbortController()];
  // The retry of the first one is known to be lost before the last look at the second one is over.
  n8n.stored = (id) => {
    if (id === '3') ended.abort();
    return first(id);
  };
  n8n.execution = async (id) => {
    const found = await look(id);
    if (id !== '2') return found;
    while (!ended.signal.aborted) await new Promise(setImmediate);
    await new Promise(setImmediate);
    return found;
  };
  const report = await run(n8n, { stopAfterLost: 1 });
  expect(report.attempts.map(({ executionId, outcome }) => [executionId, outcome])).toEqual([
    ['1', 'lost again'],
  ]);
  expect([n8n.executions.size, report.stopped]).toEqual([
    3,
    expect.stringMatching(/^a retry was lost: /),
  ]);
});

test('after an attempt that was lost it waits, twice as long after each further one', async () => {
  const n8n = new ModelN8n([work({ fates: ['crash'] })]);
  const startedAtMs = n8n.clockMs;
  while (n8n.clockMs < startedAtMs + 600_000) {
    await run(n8n);
    n8n.clockMs += 10_000;
  }
  const atS = n8n.retriesOf('1').map((retry) => ((retry.startedAtMs ?? 0) - startedAtMs) / 1000);
  // Each is looked at for 40 s first.
  expect(atS).toEqual([40, 140, 300]);
});

test('what is younger than --age is left for a later pass', async () => {
  const n8n = new ModelN8n([work({ ageMs: 1000 }), work({ begins: 'at work', ageMs: 1000 })]);
  const { attempts, left } = await run(n8n);
  expect([attempts, left.map(({ executionId, isFinal }) => [executionId, isFinal])]).toEqual([
    [],
    [['1', false]],
  ]);
  n8n.clockMs += RULES.minAgeMs;
  expect((await run(n8n)).attempts.map(({ outcome }) => outcome)).toEqual([
    ...['recovered', 'recovered'],
  ]);
});

test('what somebody else has begun to retry since the look is left to them', async () => {
  const n8n = new ModelN8n([work({ fates: ['slow'] }), work()]);
  const look = n8n.executionsOf;
  let looks = 0;
  n8n.executionsOf = async (...given) => {
    looks += 1;
    // The second one is right before its retry.
    if (looks === 2) await n8n.retry('1').catch(() => undefined);
    return look(...given);
  };
  const { attempts } = await run(n8n, { atOnce: 1 });
  expect(attempts.map(({ executionId, outcome, text }) => [executionId, outcome, text])).toEqual([
    ['1', 'no longer due', 'its retry 3 has not ended'],
    ['2', 'recovered', 'by execution 4'],
  ]);
  expect(n8n.overlaps).toBe(0);
});

test('a retry whose worker and main died counts as one attempt, once it is old enough', async () => {
  const n8n = new ModelN8n([work({ fates: ['dies', 'success'] })]);
  expect((await run(n8n)).attempts.map(({ outcome }) => outcome)).toEqual(['not known']);
  expect((await run(n8n)).left).toMatchObject([{ reason: 'its retry 2 has not ended' }]);
  n8n.clockMs += RULES.minAgeMs;
  expect((await run(n8n)).attempts).toMatchObject([{ attempt: 2, outcome: 'recovered' }]);
  expect([n8n.done('1'), n8n.overlaps]).toEqual([1, 0]);
});

describe('a pass beside enqueueing', () => {
  test('what has its job a moment after the first look is left to its worker', async () => {
    const n8n = new ModelN8n([
      work({ begins: 'resumed', enqueuedInMs: ENQUEUED_WITHIN_MS }),
      work({ begins: 'at work' }),
    ]);
    const { attempts } = await run(n8n, { atOnce: 1 });
    expect(attempts.map(({ executionId, outcome }) => [executionId, outcome])).toEqual([
      ['1', 'no longer due'],
      ['2', 'recovered'],
    ]);
    expect(n8n.doubles).toBe(0);
  });

  test('it asks for the queue only where that decides, and right before each retry', async () => {
    const ended = new ModelN8n([work(), work({ begins: 'stalled' }), work({ begins: 'waiting' })]);
    expect((await run(ended)).attempts).toHaveLength(2);
    expect(ended.looks).toBe(2);
    const open = new ModelN8n([work({ begins: 'at work' }), work({ begins: 'queued' }), work()]);
    expect((await run(open, { atOnce: 1 })).attempts).toHaveLength(2);
    // For the pass, and right before both retries.
    expect(open.looks).toBe(3);
  });
});

test('what waits is named, and not called lost', async () => {
  const said: string[] = [];
  const n8n = new ModelN8n(Array.from({ length: 22 }, () => work({ begins: 'waiting' })));
  const report = await pass(n8n, orderOf(), (text) => void said.push(text), never);
  expect(report.waiting).toHaveLength(22);
  expect([isAnythingLost(report), report.left, report.attempts]).toEqual([false, [], []]);
  expect(said[0]).toBe('execution 1 of Work: not retried: it is waiting, and n8n will resume it');
  expect(said.slice(20)).toEqual(['workflow Work: 2 more executions are waiting']);
  expect(summaryOf(report, true)).toContain('0 left alone, 22 waiting;');
});

describe('by what n8n saves', () => {
  const unsaid = [{ id: 'w', name: 'Work', savesFailures: null, savesSuccesses: null }];
  const inRegularMode = (given: Partial<PassOrder>): ReturnType<typeof pass> => {
    const n8n = new ModelN8n([work()]);
    const { nowMs, executionsOf, stored, retry, lagSeconds, isWorkTold, wait } = n8n;
    const hands = {
      ...{ execution: n8n.execution, newestOf: n8n.newestOf },
      lagSeconds,
      isWorkTold,
      nowMs,
      executionsOf,
      stored,
      retry,
      wait,
      queued: null,
      settled: null,
      work: null,
    };
    return pass(hands, orderOf({ workflows: unsaid, ...given }), quiet, never);
  };

  test('in regular mode only workflows whose successes are saved are run again', async () => {
    const report = await inRegularMode({});
    expect([report.attempts, report.refused]).toEqual([
      [],
      [{ workflow: 'Work', reason: expect.stringContaining('saveDataSuccessExecution') as string }],
    ]);
    const saving = await inRegularMode({ saves: { ...NOTHING_KNOWN, successes: true } });
    expect(saving.attempts.map(({ outcome }) => outcome)).toEqual(['recovered']);
  });

  test('nothing is run again of a workflow whose failures n8n deletes', async () => {
    const own = await run(new ModelN8n([work()]), {
      workflows: [{ id: 'w', name: 'Work', savesFailures: false, savesSuccesses: true }],
    });
    expect(own.refused[0]?.reason).toMatch(/its settings save no failed executions/);
    const saves = { ...NOTHING_KNOWN, failures: false };
    const all = await run(new ModelN8n([work()]), { workflows: unsaid, saves });
    expect([all.attempts, all.refused[0]?.reason]).toEqual([
      [],
      expect.stringMatching(/n8n saves no failed executions/),
    ]);
    const given = [{ id: 'w', name: 'Work', savesFailures: true, savesSuccesses: null }];
    expect((await run(new ModelN8n([work()]), { workflows: given, saves })).refused).toEqual([]);
  });
});

test('its end: no further retry is begun', async () => {
  const n8n = new ModelN8n([work(), work()]);
  const stopping = new AbortController();
  stopping.abort(new Error('stopped by Ctrl-C'));
  const said: string[] = [];
  const report = await pass(n8n, orderOf(), (text) => void said.push(text), stopping.signal);
  expect([report.attempts, report.stopped]).toEqual([[], 'stopped by Ctrl-C']);
  expect(said).toEqual([
    'execution 1 of Work: left for the next pass, because this pass has stopped',
    'execution 2 of Work: left for the next pass, because this pass has stopped',
    'stopped: stopped by Ctrl-C',
  ]);
});

test('its end: what became of a retry under way is not known, and the next pass sees it', async () => {
  const n8n = new ModelN8n([work({ fates: ['no response'] }), work()]);
  const stopping = new AbortController();
  const { retry } = n8n;
  n8n.retry = (id) => {
    stopping.abort(new Error('stopped by Ctrl-C'));
    return retry(id);
  };
  const outcomes = ({ attempts }: PassReport): unknown[] =>
    attempts.map(({ executionId, outcome }) => [executionId, outcome]);
  const order = orderOf({ atOnce: 1, stopAfterLost: 1 });
  const report = await pass(n8n, order, quiet, stopping.signal);
  expect([outcomes(report), report.stopped]).toEqual([[['1', 'not known']], 'stopped by Ctrl-C']);
  expect(outcomes(await run(n8n))).toEqual([['2', 'recovered']]);
});

test('its end: what was still being looked at is not retried', async () => {
  const n8n = new ModelN8n([work(), work()]);
  const stopping = new AbortController();
  const look = n8n.executionsOf;
  n8n.executionsOf = (...given) => {
    if (given[1].afterId === undefined) return look(...given);
    stopping.abort(new Error('stopped by Ctrl-C'));
    return Promise.reject(new Error('broken off'));
  };
  const report = await pass(n8n, orderOf(), quiet, stopping.signal);
  expect([report.due.length, report.attempts, report.stopped]).toEqual([
    ...[2, [], 'stopped by Ctrl-C'],
  ]);
});

describe('a look that fails', () => {
  const said: string[] = [];
  const tell = (text: string): void => void said.push(text);
  afterEach(() => said.splice(0));

  /** The second one of three works cannot be looked at again, while the first one is being retried. */
  function broken(): ModelN8n {
    const n8n = new ModelN8n([work(), work(), work()]);
    const [look, { retry }] = [n8n.execution, n8n];
    const [begun, failed] = [new AbortController(), new AbortController()];
    const until = async ({ signal }: AbortController): Promise<void> => {
      while (!signal.aborted) await new Promise(setImmediate);
    };
    n8n.execution = async (id) => {
      if (id !== '2') return look(id);
      await until(begun);
      failed.abort();
      throw new Error('n8n is away');
    };
    n8n.retry = async (id) => {
      begun.abort();
      await until(failed);
      return retry(id);
    };
    return n8n;
  }

  test('ends the pass once what is under way has ended, with its counts, and begins nothing more', async () => {
    const n8n = broken();
    const error: unknown = await pass(n8n, orderOf(), tell, never).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(BrokenPass);
    const { report, message } = error as BrokenPass;
    expect([message, report.stopped]).toEqual(['n8n is away', 'n8n is away']);
    expect(report.attempts.map(({ executionId, outcome }) => [executionId, outcome])).toEqual([
      ['1', 'recovered'],
    ]);
    const calls = n8n.executions.size;
    await pause(20, 'nothing may be called after the end');
    expect(n8n.executions.size).toBe(calls);
  });

  test('leaves a line for each retry before it begins, and for each that is left', async () => {
    await pass(broken(), orderOf(), tell, never).catch(quiet);
    expect(said).toEqual([
      'execution 1 of Work: attempt 1 starts at Webhook',
      'execution 1 of Work: attempt 1 from Webhook: recovered: by execution 4',
      'execution 2 of Work: left for the next pass, because this pass has stopped',
      'execution 3 of Work: left for the next pass, because this pass has stopped',
      'stopped: n8n is away',
    ]);
  });
});

test('a lead that is lost during the last look begins no retry', async () => {
  const n8n = new ModelN8n([work()]);
  const leading = new AbortController();
  const look = n8n.execution;
  n8n.execution = async (id) => {
    const found = await look(id);
    leading.abort(new Error('another recovery took over'));
    return found;
  };
  const report = await pass(n8n, orderOf(), quiet, leading.signal);
  expect([report.attempts, report.stopped, n8n.executions.size]).toEqual([
    ...[[], 'another recovery took over', 1],
  ]);
});
