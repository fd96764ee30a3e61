import type { ExecutionsSeen } from '../../../cli/src/analysis/traced-execution';
import { counter } from '../../../cli/src/run/executions';
import type { Observations } from '../../../cli/src/run/samples';
import { readTrace, type TraceOrder } from '../../../cli/src/run/trace';
import type { ExecutionTrace, Running } from '../../../cli/src/targets/target';

const order = (requests: number, given: Partial<TraceOrder> = {}): TraceOrder => ({
  runId: 'run',
  requests,
  expected: requests,
  areKept: true,
  executions: { succeeded: requests, failed: 0, unfinished: 0, source: 'database' },
  executionsPerRequest: 1,
  drainMs: 10_000,
  ...given,
});

/** Says one after the other, and counts how often it was asked. */
function traceOf(...answers: (ExecutionsSeen | Error)[]): ExecutionTrace & { asked: number } {
  const trace = {
    ...{ source: 'database', affordable: 10, asked: 0 },
    read: () => {
      const answer = answers[Math.min(trace.asked, answers.length - 1)];
      trace.asked += 1;
      return answer instanceof Error || answer === undefined
        ? Promise.reject(answer ?? new Error('nothing to say'))
        : Promise.resolve(answer);
    },
  };
  return trace;
}

const read = (trace: ExecutionTrace | null, given: TraceOrder, signal = new AbortController()) =>
  readTrace(trace, given, () => undefined, signal.signal);

const seen = (outcome: 'succeeded' | 'unfinished'): ExecutionsSeen => ({
  executions: [{ loadId: 'run-0', outcome }],
  made: 1,
});

test('many requests whose counts agree are not read', async () => {
  const trace = traceOf(seen('succeeded'));
  expect(await read(trace, order(11))).toEqual({
    skipped:
      'there were 11 requests, which is more than 10, and n8n counted the expected number of executions',
  });
  expect(trace.asked).toBe(0);
});

test.each([
  ['few', order(10)],
  ['many whose counts differ', order(11, { executions: { ...counts(10) } })],
  ['many whose counts nobody knows', order(11, { executionsPerRequest: null })],
])('%s are read once', async (_, given) => {
  const trace = traceOf(seen('succeeded'));
  expect(await read(trace, given)).toEqual({ source: 'database', ...seen('succeeded') });
  expect(trace.asked).toBe(1);
});

test('a reading that failed is tried again where a drill hangs on it, and given up after three', async () => {
  const patient = order(10, { readWithinMs: 60_000, tryAgainMs: 1 });
  const timeout = new Error('timeout expired');
  const recovers = traceOf(timeout, timeout, seen('succeeded'));
  expect(await read(recovers, patient)).toEqual({ source: 'database', ...seen('succeeded') });
  const never = traceOf(timeout);
  expect([await read(never, patient), never.asked]).toEqual([
    { skipped: 'the executions could not be read: timeout expired' },
    3,
  ]);
  const once = traceOf(timeout);
  expect([await read(once, order(10)), once.asked]).toEqual([
    { skipped: 'the executions could not be read: timeout expired' },
    1,
  ]);
});

test('more than are kept are not read, whatever their counts', async () => {
  const trace = traceOf(seen('succeeded'));
  const many = order(11, { executions: counts(10), areKept: false });
  expect(await read(trace, many)).toEqual({
    skipped: 'there were 11 requests, which is too many to match one by one',
  });
  expect(trace.asked).toBe(0);
});

function counts(succeeded: number): NonNullable<TraceOrder['executions']> {
  return { succeeded, failed: 0, unfinished: 0, source: 'database' };
}

test('executions that nobody has waited for are waited for', async () => {
  const trace = traceOf(seen('unfinished'), seen('succeeded'));
  expect(await read(trace, order(1, { executions: null }))).toMatchObject(seen('succeeded'));
  expect(trace.asked).toBe(2);
});

test('those that the run has waited for in vain are not waited for again', async () => {
  const trace = traceOf(seen('unfinished'));
  expect(await read(trace, order(1))).toMatchObject(seen('unfinished'));
  expect(trace.asked).toBe(1);
});

test('reading takes as long as it may, and at least half a minute', async () => {
  const given: number[] = [];
  const trace: ExecutionTrace = {
    ...{ source: 'database', affordable: 10 },
    read: (_, withinMs) => {
      given.push(withinMs);
      return Promise.resolve(seen('succeeded'));
    },
  };
  await read(trace, order(1));
  await read(trace, order(1, { readWithinMs: 150_000 }));
  await read(trace, order(1, { readWithinMs: 1000 }));
  expect(given).toEqual([30_000, 150_000, 30_000]);
});

test('a trace says why there is nothing', async () => {
  const stopped = new AbortController();
  stopped.abort();
  expect(await read(null, order(1))).toEqual({
    skipped: 'the executions of n8n could not be read',
  });
  expect(await read(traceOf(seen('succeeded')), order(1), stopped)).toEqual({
    skipped: 'the run was interrupted',
  });
  expect(await read(traceOf(new Error('the database has gone')), order(1))).toEqual({
    skipped: 'the executions could not be read: the database has gone',
  });
});

describe('the counts of a database', () => {
  function counting(failures: number) {
    let asked = 0;
    const events: string[] = [];
    const executions = () => {
      asked += 1;
      return asked <= failures ? Promise.reject(new Error('timeout')) : Promise.resolve(counts(3));
    };
    const observed = { event: ({ text }: { text: string }) => events.push(text) };
    const count = counter(
      { executions } as unknown as Running,
      observed as unknown as Observations,
    );
    return { count, events };
  }

  test('survive a question that failed', async () => {
    const { count, events } = counting(2);
    expect([await count(), events]).toEqual([counts(3), []]);
  });

  test('are not known where it keeps failing, which is told once', async () => {
    const { count, events } = counting(100);
    expect([await count(), await count()]).toEqual([null, null]);
    expect(events).toEqual(['executions cannot be counted: timeout']);
  });
});
