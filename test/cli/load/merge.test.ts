// The requests of several load generators are those of one run, whatever the order in which their lines come.
import fc from 'fast-check';
import { measuredPart, RequestsSeen } from '../../../cli/src/analysis/requests/seen';
import { summarize } from '../../../cli/src/run/analysis/summarize';
import { MergedLines } from '../../../cli/src/load/merge';
import type { LatencySummary, RequestSample } from '../../../cli/src/record/run-record';
import type { Line } from '../../../loadtests/lib/print';

const PLAN = { warmupSeconds: 1, durationSeconds: 9 };
const MEASURED = measuredPart(PLAN);

interface Made {
  dueMs: number;
  lateMs: number;
  serviceMs: number;
  ok: boolean;
  generator: number;
}

const made = (generators: number): fc.Arbitrary<Made[]> =>
  fc.array(
    fc.record({
      dueMs: fc.integer({ min: 0, max: 9_999 }),
      lateMs: fc.integer({ min: 0, max: 50 }),
      serviceMs: fc.integer({ min: 1, max: 8_000 }),
      ok: fc.boolean(),
      generator: fc.integer({ min: 0, max: generators - 1 }),
    }),
    { maxLength: 200 },
  );

interface Timed {
  atMs: number;
  generator: number;
  line: Line;
}

/** Each generator's lines in its own order; its clock is ahead of ours by 1000 ms times its index. */
function linesOf(requests: readonly Made[]): Timed[] {
  return requests
    .flatMap(({ dueMs, lateMs, serviceMs, ok, generator }, index): Timed[] => {
      const id = `run-${String(index)}`;
      const zero = 1_700_000_000_000 + 1000 * generator;
      const begin: Line = ['b', id, dueMs, lateMs, zero, 'w'];
      const end: Line = ['e', id, serviceMs, ok ? 200 : 500, ok ? '' : 'status 500', '', 0];
      return [
        { atMs: dueMs + lateMs, generator, line: begin },
        { atMs: dueMs + lateMs + serviceMs, generator, line: end },
      ];
    })
    .sort((one, other) => one.atMs - other.atMs);
}

/** Streams that lag behind each other at will; each keeps its own order. */
function interleaved(
  lines: readonly Timed[],
  generators: number,
  lags: readonly number[],
): Timed[] {
  const queues = Array.from({ length: generators }, (_, index) =>
    lines.filter(({ generator }) => generator === index),
  );
  const out: Timed[] = [];
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
    const queue = queues[turn % generators];
    const take = 1 + (lags[turn % Math.max(1, lags.length)] ?? 0);
    out.push(...(queue?.splice(0, take) ?? []));
  }
  return out;
}

function latency(samples: readonly RequestSample[]): {
  latency: LatencySummary | null;
  offered: number;
} {
  const requests = new RequestsSeen(PLAN, 0);
  for (const sample of samples) requests.add(sample);
  const summary = summarize(requests.figures, [], {
    ...{ measured: MEASURED, loop: 'open', slos: [], executions: null, queueDrained: null },
    generator: { cpuCoresMean: 0, coresAvailable: 1, notSent: 0 },
  });
  return { latency: summary.latencyMs, offered: summary.offered.requests };
}

function merged(count: number, lines: readonly Timed[]): RequestSample[] {
  const given: RequestSample[] = [];
  const all = new MergedLines(count, MEASURED, (sample) => given.push(sample));
  for (const { generator, line } of lines) all.read(generator, line);
  all.end(60_000);
  return given;
}

const lagged = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 8 });

test('however requests are dealt out and lines come in, every figure is that of one generator', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 7 }).chain((count) => fc.tuple(fc.constant(count), made(count))),
      lagged,
      ([count, requests], lags) => {
        const lines = linesOf(requests);
        const several = merged(count, interleaved(lines, count, lags));
        const one = merged(
          1,
          lines.map((timed) => ({ ...timed, generator: 0 })),
        );
        expect(several.map(({ id }) => id).sort()).toEqual(one.map(({ id }) => id).sort());
        expect(latency(several)).toEqual(latency(one));
      },
    ),
  );
});

test('requests are given on in the order of their ends, while no stream lags by more than 2 s', () => {
  fc.assert(
    fc.property(made(4), (requests) => {
      const ends = merged(4, linesOf(requests)).map(({ tMs, durationMs }) => tMs + durationMs);
      expect(ends).toEqual([...ends].sort((one, other) => one - other));
    }),
  );
});

test('a lost generator costs what it had not ended, and nothing of the others', () => {
  fc.assert(
    fc.property(made(3), fc.integer({ min: 0, max: 12_000 }), (requests, lostAtMs) => {
      const given: RequestSample[] = [];
      const all = new MergedLines(3, MEASURED, (sample) => given.push(sample));
      const lines = linesOf(requests);
      for (const { atMs, generator, line } of lines) {
        if (atMs <= lostAtMs) all.read(generator, line);
      }
      const left = all.lost(0);
      for (const { atMs, generator, line } of lines) {
        // What still comes of it is no part of the run.
        if (atMs > lostAtMs) all.read(generator, line);
      }
      all.end(60_000);
      const endMs = ({ dueMs, lateMs, serviceMs }: Made): number => dueMs + lateMs + serviceMs;
      const counts = requests.flatMap((one, index) =>
        one.generator !== 0 || endMs(one) <= lostAtMs ? [`run-${String(index)}`] : [],
      );
      const begun = requests.filter(
        (one) => one.generator === 0 && one.dueMs + one.lateMs <= lostAtMs && endMs(one) > lostAtMs,
      );
      expect(given.map(({ id }) => id).sort()).toEqual(counts.sort());
      expect(left).toBe(begun.length);
    }),
  );
});

test('what is open when all have ended is unanswered, as old as it is by the clock of its own generator', () => {
  const given: RequestSample[] = [];
  const all = new MergedLines(2, MEASURED, (sample) => given.push(sample));
  all.read(0, ['b', 'one', 2_000, 0, 1_700_000_000_000, 'w']);
  all.read(1, ['b', 'two', 3_000, 5, 1_700_000_777_000, 'w']);
  all.end(10_000);
  expect(given.map(({ id, durationMs, errorKind }) => [id, durationMs, errorKind])).toEqual([
    ['one', 8_000, 'unanswered'],
    ['two', 7_000, 'unanswered'],
  ]);
  expect(all.openPeak).toBe(2);
});

test('lateness and requests not sent are told of each generator', () => {
  const all = new MergedLines(2, MEASURED, () => undefined);
  all.read(0, ['b', 'one', 2_000, 1, 0, 'w']);
  all.read(0, ['e', 'one', 10, 200, '', '', 0]);
  all.read(1, ['b', 'two', 2_000, 700, 0, 'w']);
  all.read(1, ['e', 'two', 10, 200, '', '', 0]);
  all.read(1, ['n', 2_500, 0, 'w']);
  all.read(1, ['n', 500, 0, 'w']);
  all.end(10_000);
  expect(all.figures(0, 'open')).toEqual({
    ...{ requests: 1, notSent: 0, latenessMs: { p50: 1, p99: 1, max: 1 } },
  });
  expect(all.figures(1, 'open')).toEqual({
    ...{ requests: 1, notSent: 1, latenessMs: { p50: 700, p99: 700, max: 700 } },
  });
  expect(all.figures(1, 'closed').latenessMs).toBeNull();
});
