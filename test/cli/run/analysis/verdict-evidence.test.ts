import fc from 'fast-check';
import { minRequests } from '../../../../cli/src/analysis/slo/min-requests';
import { assess } from '../../../../cli/src/analysis/slo/slo';
import { latency } from '../../../../cli/src/analysis/requests/latency';
import { RequestFigures } from '../../../../cli/src/analysis/requests/figures';
import { summarize, type RunFacts } from '../../../../cli/src/run/analysis/summarize';
import { verdict, type VerdictFacts } from '../../../../cli/src/run/analysis/verdict';
import { parseSlos, SLO_METRICS, type Slo } from '../../../../loadtests/lib/slo';
import type {
  LimitedBy,
  RequestSample,
  RunEvent,
  Summary,
} from '../../../../cli/src/record/run-record';

/** Verdicts rest on evidence: no SLO is met, and none is missed, by too little of it. */

const facts: VerdictFacts = {
  ...{ workload: 'last-node', profile: 'load', lengthMs: 60_000, aborted: null },
  ...{ answers: 'when-done', executionsPerRequest: 1, loop: 'open', events: [] },
  ...{ failedSamplers: [], stealShare: null, otherCores: null },
};
const nothing = (): LimitedBy => ({ limit: null, evidence: '' });

const answered = (tMs: number, durationMs: number): RequestSample => ({
  ...{ tMs, durationMs, status: 200, ok: true, errorKind: '', id: String(tMs) },
  ...{ workload: 'last-node', ranBy: '' },
});

/** Summarises one request per second with these latencies, and this number of errors. */
function summaryOf(latenciesMs: readonly number[], errors = 0): Summary {
  const requests = latenciesMs.length + errors;
  const good = latenciesMs.length;
  return {
    offered: { requests, ratePerSecond: 1 },
    achieved: { requests: good, ratePerSecond: good / requests, shareOfOffered: good / requests },
    latencyMs: latency(latenciesMs.map((durationMs, i) => answered(i * 1000, durationMs))),
    errors: { requests: errors, share: errors / requests, byKind: {} },
    unanswered: { requests: 0, oldestAgeMs: 0 },
    ...{ executions: null, backlog: null, littlesLaw: null, cpuMillisecondsPerRequest: null },
    ...{ roles: [], spread: [] },
    generator: {
      ...{ cpuCores: 0.1, coresAvailable: 2, notSent: 0, latenessMs: null, newConnections: null },
      ...{ faults: [], saturated: false },
    },
  };
}

const one = (text: string): Slo => parseSlos(text)[0] as Slo;
const all = (count: number, ms: number): number[] => Array.from({ length: count }, () => ms);

describe('an SLO without evidence is never met', () => {
  const nobody: Summary = { ...summaryOf([]), errors: { requests: 0, share: 0, byKind: {} } };

  test.each(SLO_METRICS)('%s, where nothing was measured', (metric) => {
    fc.assert(
      fc.property(
        fc.constantFrom('<', '<=', '>', '>=', '=') as fc.Arbitrary<Slo['operator']>,
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (operator, bound) => {
          const slo = { text: `${metric}${operator}${String(bound)}`, metric, operator, bound };
          expect(assess(slo, nobody).state).not.toBe('met');
          expect(assess(slo, nobody, { asSeen: true }).state).not.toBe('met');
          expect(verdict([slo], nobody, nothing, facts).outcome).not.toBe('sustained');
        },
      ),
    );
  });

  test('backlog=0 is not known where n8n could not be asked, though all else is well', () => {
    const { outcome, slos, sentence } = verdict(
      [one('backlog=0')],
      summaryOf(all(600, 20)),
      nothing,
      facts,
    );
    expect(outcome).toBe('inconclusive');
    expect(slos.filter(({ state }) => state === 'undecided')).toEqual([
      {
        ...{ slo: 'backlog=0', state: 'undecided', measured: null, seemsMet: false },
        ...{ pressure: null, requestsNeeded: null },
        text: "backlog=0 cannot be judged: n8n's executions could not be counted",
      },
    ]);
    expect(sentence).toContain('It is not known whether n8n sustains 1 req/s of last-node');
  });

  test('a workload that answers at once is not sustained by its answers alone', () => {
    const atOnce = { ...facts, answers: 'at-once' } as const;
    const accepted = { ...summaryOf(all(600, 5)), completions: null };
    const judged = verdict([], accepted, nothing, atOnce);
    expect(judged.outcome).toBe('inconclusive');
    expect(judged.sentence).toBe(
      'It is not known whether n8n sustains 1 req/s of last-node: this workload responds at once, and it is unknown which of its executions n8n completed; set N8N_API_KEY so that the command can count the executions of n8n, or measure on another target.',
    );
    const done = (requests: number) => ({
      ...accepted,
      completions: {
        ...{ requests, ratePerSecond: requests / 600, shareOfOffered: requests / 600 },
        ...{ openAtEnd: 600 - requests, source: 'database' },
      },
    });
    expect(verdict([], done(598), nothing, atOnce).outcome).toBe('sustained');
    const behind = verdict([], done(300), nothing, atOnce);
    expect(behind.outcome).toBe('not sustained');
    expect(behind.sentence).toContain('0.5 of 1 req/s were completed, limit 95%');
  });

  test('where nobody got the expected response, a latency is missed', () => {
    expect(assess(one('p95<300ms'), summaryOf([], 600)).state).toBe('missed');
  });
});

describe('the interval decides', () => {
  test.each([
    ['p50<300ms', 6],
    ['p95<300ms', 72],
    ['p99<300ms', 368],
    ['p99.9<300ms', 3688],
    ['errors<1%', 381],
    ['mean<300ms', 30],
  ])('%s takes %d requests, and one fewer shows nothing', (text, min) => {
    const slo = one(text);
    expect(minRequests(slo.metric, slo.bound)).toBe(min);
    expect(assess(slo, summaryOf(all(min, 20))).state).toBe('met');
    expect(assess(slo, summaryOf(all(min - 1, 20))).state).toBe('undecided');
  });

  test('24 requests are no p99.9: the sentence says how long a run is needed', () => {
    const { outcome, sentence } = verdict(
      [one('p99.9<300ms')],
      summaryOf(all(100, 20)),
      nothing,
      facts,
    );
    expect(outcome).toBe('inconclusive');
    expect(sentence).toBe(
      'It is not known whether n8n sustains 1 req/s of last-node: p99.9 20 ms (at least 20 ms, too few requests for an upper bound), limit 300 ms; measure for at least 62 min (--duration), to get about 3,688 requests.',
    );
  });

  test('whatever the latencies: met and missed are never said of an interval that contains the limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 1000 }),
        (latenciesMs, limit) => {
          const summary = summaryOf(latenciesMs);
          const { state } = assess(one(`p95<${String(limit)}ms`), summary);
          const { low = 0, high = null } = summary.latencyMs?.intervals?.p95 ?? {};
          const within = low < limit && (high === null || limit <= high);
          expect(state === 'undecided').toBe(within);
          if (state === 'met') expect(summary.latencyMs?.p95).toBeLessThan(limit);
          if (state === 'missed') expect(summary.latencyMs?.p95).toBeGreaterThanOrEqual(limit);
        },
      ),
    );
  });

  test('a share of errors beside its limit is undecided, far from it decided', () => {
    const errors = one('errors<1%');
    expect(assess(errors, summaryOf(all(597, 20), 3)).state).toBe('undecided');
    expect(assess(errors, summaryOf(all(5970, 20), 30)).state).toBe('met');
    expect(assess(errors, summaryOf(all(570, 20), 30)).state).toBe('missed');
  });

  test('one failed request of ten is no proof that a tenth of all fail', () => {
    const { outcome } = verdict([], summaryOf(all(9, 20), 1), nothing, facts);
    expect(outcome).toBe('inconclusive');
  });

  test('a smoke run is judged by its own requests, and says that it is not about capacity', () => {
    const smoke = { ...facts, profile: 'smoke' };
    const slos = parseSlos('p95<300ms,errors<1%');
    const well = verdict(slos, summaryOf(all(10, 20)), nothing, smoke);
    expect(well.outcome).toBe('sustained');
    expect(well.sentence).toBe(
      'n8n gave the expected response to 10 of 10 requests of last-node: p95 20 ms, no errors; a smoke run says nothing about capacity.',
    );
    expect(verdict(slos, summaryOf(all(9, 20), 1), nothing, smoke).outcome).toBe('not sustained');
    expect(verdict(slos, summaryOf(all(10, 400)), nothing, smoke).outcome).toBe('not sustained');
  });

  test('a closed loop that got nothing but errors is not sustained, asked or not', () => {
    const closed = { ...facts, loop: 'closed', clients: 8 } as const;
    expect(verdict([], summaryOf([], 40), nothing, closed).outcome).toBe('not sustained');
  });

  test('a latency SLO comes with a bound of errors in every loop, as it is of expected responses only', () => {
    const half = summaryOf(all(200, 20), 200);
    for (const loop of ['open', 'closed'] as const) {
      const { outcome, breaches } = verdict(parseSlos('p95<300ms'), half, nothing, {
        ...{ ...facts, loop, clients: 8 },
      });
      expect(outcome).toBe('not sustained');
      expect(breaches).toHaveLength(1);
      const own = parseSlos('p95<300ms,errors<60%,throughput>=40%');
      expect(verdict(own, half, nothing, { ...facts, loop, clients: 8 }).outcome).toBe('sustained');
    }
  });
});

describe('errors in bursts', () => {
  const measured: RunFacts = {
    ...{ measured: { fromMs: 0, toMs: 60_000 }, loop: 'open', slos: [] },
    generator: { cpuCoresMean: 0.1, coresAvailable: 2, notSent: 0 },
    ...{ executions: null, queueDrained: null },
  };

  /** 6,000 requests in 60 s, some of them refused. */
  function refusing(isRefused: (i: number) => boolean): Summary {
    const figures = new RequestFigures(measured);
    for (let i = 0; i < 6_000; i += 1) {
      const ok = !isRefused(i);
      figures.add({ ...answered(10 * i, 20), ok, errorKind: ok ? '' : 'refused' });
    }
    return summarize(figures, [], measured);
  }

  const hiccup = (requests: number): Summary => refusing((i) => i >= 2_000 && i < 2_000 + requests);
  const every = (nth: number): Summary => refusing((i) => i % nth === nth - 1);
  const limit = one('errors<1%');

  test('one hiccup that refuses 36 of 6,000 requests is no proof of less than 1%, but 36 alone are', () => {
    expect(every(166).errors.requests).toBe(36);
    expect(assess(limit, every(166)).state).toBe('met');
    expect(assess(limit, hiccup(36)).state).toBe('undecided');
    const { outcome, sentence } = verdict([limit], hiccup(36), nothing, facts);
    expect(outcome).toBe('inconclusive');
    expect(sentence).toBe(
      'It is not known whether n8n sustains 100 req/s of last-node: errors 0.6% (between 0.0389% and 3.83%), limit 1%; measure for at least 22 min (--duration), to get about 126,338 requests.',
    );
  });

  test('nor is one that refuses 80 of them a proof of more', () => {
    expect(assess(limit, every(75)).state).toBe('missed');
    const { state, requestsNeeded } = assess(limit, hiccup(80));
    expect(state).toBe('undecided');
    expect(requestsNeeded).toBeLessThanOrEqual(600_000);
  });

  test('a small hiccup leaves the errors below a limit that is far away', () => {
    expect(assess(limit, hiccup(3)).state).toBe('met');
    expect(assess(one('errors<5%'), hiccup(36)).state).toBe('met');
  });

  test('throughput below its limit is open where one hiccup made it so, and missed where requests were late', () => {
    const throughput = one('throughput>=95%');
    expect(assess(throughput, hiccup(36)).state).toBe('met');
    expect(assess(throughput, every(15)).state).toBe('missed');
    expect(assess(throughput, hiccup(400)).state).toBe('undecided');
    const { achieved, ...seen } = hiccup(36);
    const late = { ...seen, achieved: { ...achieved, shareOfOffered: 0.9 } };
    expect(assess(throughput, late).state).toBe('missed');
  });

  test('an outage of a third of the run is no hiccup: errors and throughput are missed', () => {
    expect(assess(limit, hiccup(2_000)).state).toBe('missed');
    expect(assess(one('throughput>=95%'), hiccup(2_000)).state).toBe('missed');
  });

  test('without an error, and in records that keep no interval, each request counts alone', () => {
    expect(refusing(() => false).errors).toEqual({ requests: 0, share: 0, byKind: {} });
    const { interval, ...older } = hiccup(36).errors;
    expect(interval?.high).toBeGreaterThan(0.01);
    expect(assess(limit, { ...hiccup(36), errors: older }).state).toBe('met');
  });
});

test('whoever judges the record again comes to the recorded verdict, whatever was measured', () => {
  const slos = parseSlos(
    'p50<300ms,p99.9<1s,mean<400ms,max<2s,errors<1%,throughput>=95%,backlog=0',
  );
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 200 }),
      fc.nat(20),
      fc.boolean(),
      (latenciesMs, errors, isSmoke) => {
        const summary = summaryOf(latenciesMs, errors);
        const seen = { ...facts, profile: isSmoke ? 'smoke' : 'load' };
        const recorded = verdict(slos, summary, nothing, seen);
        const read = JSON.parse(JSON.stringify(summary)) as Summary;
        const again = verdict(slos, read, nothing, seen);
        expect(again).toEqual(recorded);
        expect(JSON.parse(JSON.stringify(recorded))).toEqual(recorded);
      },
    ),
  );
});

describe('events come first', () => {
  const kind = fc.constantFrom('exit', 'restart', 'oom-kill', 'sampler', 'recorder');
  const history = fc.array(
    fc.record({ tMs: fc.integer({ min: -5_000, max: 90_000 }), kind, text: fc.string() }),
    { maxLength: 8 },
  );
  const breaking = (events: readonly RunEvent[]): RunEvent[] =>
    events
      .filter((event) => ['exit', 'restart', 'oom-kill'].includes(event.kind))
      .sort((a, b) => a.tMs - b.tMs);

  test('in the breaches and in the sentence, for every history and every load', () => {
    fc.assert(
      fc.property(
        history,
        fc.boolean(),
        fc.constantFrom(null, 'k6 was killed'),
        fc.nat(3),
        (events, saturated, aborted, errors) => {
          const summary = summaryOf(all(600, 400), errors);
          summary.generator.saturated = saturated;
          const judged = verdict([one('p95<300ms')], summary, nothing, {
            ...{ ...facts, events, aborted },
          });
          const [first] = breaking(events);
          if (first === undefined) return;
          const [named] = judged.breaches;
          expect(named?.slo).toBe('no restart');
          expect(named?.text.startsWith(first.text)).toBe(true);
          const told = judged.sentence.toLowerCase().indexOf(named?.text.toLowerCase() ?? '');
          expect(told).toBeGreaterThanOrEqual(0);
          expect(judged.sentence.slice(0, told)).not.toMatch(/p95|limited|invalid|aborted/);
          expect(['not sustained', 'invalid', 'aborted']).toContain(judged.outcome);
        },
      ),
    );
  });

  test('with their time and the requests in flight', () => {
    const events = [
      { tMs: 21_200, kind: 'restart', text: 'worker-1 was started again' },
      { tMs: 20_000, kind: 'exit', text: 'worker-1 ended: signal SIGKILL', inFlight: 15 },
    ];
    const { sentence } = verdict(
      [one('errors<1%')],
      summaryOf(all(143, 5_000), 8),
      () => ({ limit: { role: 'worker', resource: 'slots' }, evidence: 'x' }),
      { ...facts, workload: 'wait-5s', events },
    );
    expect(sentence).toBe(
      'n8n did not sustain 1 req/s of wait-5s: worker-1 ended: signal SIGKILL, 20 s into the load with 15 requests in flight; 8 requests failed.',
    );
  });

  test.each([
    ['n8n-worker-0 is being deleted', 'n8n-worker-0 is being deleted'],
    ['worker-1 ended', 'worker-1 ended'],
    ['the container n8n of n8n-0 was killed', 'The container n8n of n8n-0 was killed'],
  ])('a sentence that begins with %j keeps the name', (text, begins) => {
    const events = [{ tMs: 20_000, kind: 'exit', text, inFlight: 2 }];
    const { sentence } = verdict(
      ...([[one('errors<1%')], summaryOf(all(143, 5_000), 8)] as const),
      nothing,
      { ...facts, events, aborted: 'by you' },
    );
    expect(sentence.startsWith(begins)).toBe(true);
  });
});
