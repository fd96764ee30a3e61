import fc from 'fast-check';
import { COUNTED_KINDS } from '../../loadtests/lib/errors';
import { readK6Summary } from '../../loadtests/lib/summary';
import type { LoadSummary } from '../../loadtests/lib/load-summary';
import { readSettings } from '../../loadtests/lib/settings';
import { summaryOf } from '../../loadtests/lib/summary';

interface Measured {
  wrong: number;
  expected: number;
  /** None without an expected response. */
  latencyMs: number;
  tooLate: number;
}

const RATES = ['load_wrong', 'load_too_late'];

/** What k6 counts of these requests, in values of its usual form. */
function valuesOf({ wrong, expected, latencyMs, tooLate }: Measured) {
  const requests = wrong + expected;
  const latency = expected > 0 ? latencyMs : 0;
  const trend = (value: number) =>
    Object.fromEntries(
      ['avg', 'min', 'med', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)', 'max'].map((name) => [
        name,
        value,
      ]),
    );
  const rate = (passes: number) => ({
    ...{ rate: requests > 0 ? passes / requests : 0, passes, fails: requests - passes },
  });
  return {
    load_requests: { count: requests },
    load_wrong: rate(wrong),
    load_too_late: rate(Math.min(tooLate, requests)),
    load_duration: trend(latency),
    load_late: trend(1),
    'load_errors{kind:status 5xx}': { count: wrong },
    'load_responses{proto:HTTP/1.1}': { count: requests },
  };
}

const typeOf = (name: string, values: object): string =>
  RATES.includes(name) ? 'rate' : 'count' in values ? 'counter' : 'trend';

const defaultForm = (measured: Measured): unknown => ({
  setup_data: { runId: 'r', seed: 1 },
  metrics: Object.fromEntries(
    Object.entries(valuesOf(measured)).map(([name, values]) => [
      name,
      { type: typeOf(name, values), contains: 'default', values },
    ]),
  ),
});

/** The form of --new-machine-readable-summary of k6 1.8: no p99, no thresholds, nothing of setup. */
const machineForm = (measured: Measured): unknown => ({
  version: '1.0.0',
  config: { duration: 1, execution: 'local', script: '' },
  results: {
    checks: { metrics: [], results: [] },
    metrics: Object.entries(valuesOf(measured)).map(([name, values]) => {
      const { passes, fails, rate, count, avg, min, med, max, ...percentiles } = values as Record<
        string,
        number
      >;
      const { 'p(90)': p90, 'p(95)': p95 } = percentiles;
      const forms: Record<string, object> = {
        rate: { matches: passes, total: Number(passes) + Number(fails), rate },
        counter: { count },
        trend: { avg, min, med, max, p90, p95 },
      };
      const type = typeOf(name, values);
      return { name, type, contains: 'default', values: forms[type] };
    }),
  },
});

function summarised(data: unknown, SLO: string): LoadSummary {
  const env = { REQUEST: 'GET /x', SUMMARY_FILE: 'file', RUN_ID: 'r', SLO };
  const settings = readSettings('load', env, () => '', '');
  return JSON.parse(summaryOf(settings, data)['file'] ?? '') as LoadSummary;
}

const measurements: fc.Arbitrary<Measured> = fc.record({
  wrong: fc.nat(200),
  expected: fc.nat(200),
  latencyMs: fc.integer({ min: 1, max: 3000 }),
  tooLate: fc.oneof(fc.constant(0), fc.nat(400)),
});

const SLO = 'p95<300ms,p99<1s,max<2s,errors<10%';

test('both forms say the same of a run, but for what the machine-readable one leaves out', () => {
  fc.assert(
    fc.property(measurements, (measured) => {
      const plain = summarised(defaultForm(measured), SLO);
      const machine = summarised(machineForm(measured), SLO);
      const withoutP99 = (summary: LoadSummary): unknown => ({
        ...{ ...summary, passed: null, slo: summary.slo.filter(({ text }) => text !== 'p99<1s') },
        latencyMs: summary.latencyMs && { ...summary.latencyMs, p99: null, p999: null },
        latenessMs: { ...summary.latenessMs, p99: null },
      });
      expect(withoutP99(machine)).toEqual(withoutP99(plain));
      expect(machine.slo[1]).toEqual({ text: 'p99<1s', met: null });
      expect(machine.passed).toBe(false);
    }),
  );
});

test('an SLO is met where the requests meet it, and in no other case', () => {
  fc.assert(
    fc.property(measurements, (measured) => {
      const { wrong, expected, latencyMs } = measured;
      const summary = summarised(defaultForm(measured), SLO);
      const met = Object.fromEntries(summary.slo.map(({ text, met }) => [text, met]));
      const latencyMet = (bound: number) => (expected > 0 ? latencyMs < bound : null);
      expect(met).toEqual({
        'p95<300ms': latencyMet(300),
        'p99<1s': latencyMet(1000),
        'max<2s': latencyMet(2000),
        'errors<10%': wrong + expected > 0 ? wrong / (wrong + expected) < 0.1 : null,
      });
    }),
  );
});

test('a run without a request never passes, and neither does what is no summary of k6', () => {
  const nothing = { wrong: 0, expected: 0, latencyMs: 1, tooLate: 0 };
  for (const data of [defaultForm(nothing), machineForm(nothing), {}, null, [], { metrics: 7 }]) {
    const summary = summarised(data, SLO);
    expect(summary).toMatchObject({ passed: false, notValid: ['no request was measured'] });
    expect(summary.slo.map(({ met }) => met)).toEqual([null, null, null, null]);
  }
});

test('an SLO about latency has a bound of errors beside it', () => {
  const failing = defaultForm({ wrong: 50, expected: 50, latencyMs: 10, tooLate: 0 });
  const summary = summarised(failing, 'p95<300ms');
  expect(summary.slo).toEqual([
    { text: 'p95<300ms', met: true },
    { text: 'errors<5%', met: false },
  ]);
  expect(summary.passed).toBe(false);
});

test('a run is not valid where more than 1% of its requests were started late', () => {
  const run = { wrong: 0, expected: 200, latencyMs: 10 };
  expect(summarised(defaultForm({ ...run, tooLate: 2 }), SLO)).toMatchObject({ passed: true });
  const { passed, notValid } = summarised(defaultForm({ ...run, tooLate: 3 }), SLO);
  expect(passed).toBe(false);
  expect(notValid).toEqual([
    expect.stringMatching(/^1\.5% of the requests were started more than 30 ms/),
  ]);
});

test('errors that k6 does not tell apart are not left out', () => {
  const data = { metrics: { load_wrong: { values: { passes: 3, fails: 1, rate: 0.75 } } } };
  expect(summarised(data, SLO).errors).toEqual({ 'kind not known': 3 });
  expect(COUNTED_KINDS).toContain('other');
});

test('what k6 judged is what counts, where it did', () => {
  const data = defaultForm({ wrong: 0, expected: 100, latencyMs: 10, tooLate: 0 });
  const { metrics } = data as { metrics: Record<string, object> };
  metrics['load_duration'] = {
    ...metrics['load_duration'],
    thresholds: { 'p(95)<300': { ok: false } },
  };
  expect(readK6Summary(data).metrics.get('load_duration')?.thresholds).toEqual({
    'p(95)<300': false,
  });
  expect(summarised(data, 'p95<300ms').slo[0]).toEqual({ text: 'p95<300ms', met: false });
});
