/** What a run of plain k6 says of itself: its exit code and its summary, in both forms that k6 has. */
import { runPlainK6 } from '../support/k6';
import { startKnownServer, type Behaviour, type KnownServer } from '../support/known-server';
import { isLong } from '../support/properties';

jest.setTimeout(60_000);

let server: KnownServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const FORMS: [name: string, flags: string[], environment: Record<string, string>][] = [
  ['in its usual form', [], {}],
  ['in its full form', ['--summary-mode=full'], {}],
  ['in its machine-readable form', ['--new-machine-readable-summary'], {}],
  ['in that form by a variable', [], { K6_NEW_MACHINE_READABLE_SUMMARY: 'true' }],
];
const isMachineReadable = (name: string): boolean => /machine|variable/.test(name);

/** By `exec.test.abort()` and by a threshold. */
const THRESHOLD = 99;

async function run(
  behaviour: Behaviour,
  env: Record<string, string | number>,
  flags: string[] = [],
  environment: Record<string, string> = {},
): ReturnType<typeof runPlainK6> {
  server = await startKnownServer(behaviour);
  const plain = { BASE_URL: server.url, REQUEST: 'GET /x', READY: 0, RATE: 20, WARMUP: 0 };
  return runPlainK6('load', { ...plain, DURATION: '2s', ...env }, undefined, flags, environment);
}

/** Two of the four in `make test`: a summary with a figure for each percentile, and one without. */
const TRIED = FORMS.filter((_, index) => isLong || index % 2 === 0);

describe.each(TRIED)("k6's summary %s", (form, flags, environment) => {
  it('says what was sent, what came back, and which SLO was missed', async () => {
    const SLO = 'p95<20s,p99<20s,errors<1%';
    const { summary, exitCode, output } = await run({ errorEvery: 4 }, { SLO }, flags, environment);
    expect(exitCode).toBe(THRESHOLD);
    expect(summary).toMatchObject({
      ...{ passed: false, notValid: [], requests: 40, expected: 30 },
      ...{ errors: { 'status 5xx': 10 }, protocols: { 'HTTP/1.1': 40 } },
      slo: [
        { text: 'p95<20s', met: true },
        { text: 'p99<20s', met: isMachineReadable(form) ? null : true },
        { text: 'errors<1%', met: false },
      ],
    });
    expect(summary?.latencyMs?.p95).toBeGreaterThan(0);
    expect(output).toMatch(/^ {2}missed {8}errors<1%$/m);
    expect(output.includes('not known     p99<20s')).toBe(isMachineReadable(form));
  });

  it('passes a run in which all is known and met', async () => {
    const { summary, exitCode } = await run({}, { SLO: 'p95<20s' }, flags, environment);
    expect(exitCode).toBe(0);
    expect(summary).toMatchObject({ passed: true, requests: 40 });
    expect(summary?.slo.map(({ text }) => text)).toEqual(['p95<20s', 'errors<5%']);
  });

  it('never passes a run without a request', async () => {
    const env = { RATE: 0.001, ARRIVALS: 'random', SEED: 1, SLO: 'p95<20s' };
    const { summary, exitCode, output } = await run({}, env, flags, environment);
    expect(server?.seen.right).toBe(0);
    expect(exitCode).toBe(THRESHOLD);
    expect(summary).toMatchObject({ passed: false, notValid: ['no request was measured'] });
    expect(summary?.slo.map(({ met }) => met)).toEqual([null, null]);
    expect(output).toMatch(/^ {2}NOT VALID {5}no request was measured$/m);
  });
});

test('a run is not valid where the generator was late, which no SLO of its own says', async () => {
  // It is told that the load began 2 s ago, so all of that is late.
  const env = { BEGINS_AT: Date.now() - 2000, DURATION: '3s', SLO: 'p95<20s' };
  const { summary, exitCode, output } = await run({}, env);
  expect(summary?.slo.map(({ met }) => met)).toEqual([true, true]);
  expect(summary?.passed).toBe(false);
  expect(summary?.notValid).toEqual([expect.stringMatching(/of the requests were started more/)]);
  expect(exitCode).toBe(THRESHOLD);
  expect(output).toMatch(/NOT VALID {5}[\d.]+% of the requests were started more than 2000 ms/);
});

test('a run fails where half of the responses come fast and are errors, with an SLO about latency alone', async () => {
  const { summary, exitCode } = await run({ errorEvery: 2 }, { SLO: 'p95<20s' });
  expect(exitCode).toBe(THRESHOLD);
  expect(summary?.slo).toEqual([
    { text: 'p95<20s', met: true },
    { text: 'errors<5%', met: false },
  ]);
});

test('a run fails where a latency is unknown, even if all errors are allowed', async () => {
  const { summary, exitCode } = await run({ errorEvery: 1 }, { SLO: 'p95<20s,errors<=100%' });
  expect(exitCode).toBe(THRESHOLD);
  expect(summary?.slo[0]).toEqual({ text: 'p95<20s', met: null });
});

test("a run keeps k6's own figures below the summary, with checks and its usual tags, unless it is to be short", async () => {
  const { output } = await run({ errorEvery: 2 }, {});
  expect(output).toMatch(/^ {2}checks \.+: 50\.00% 20 out of 40$/m);
  expect(output).toMatch(/^ {2}http_req_duration\{expected_response:true\} \.*: avg=/m);
  expect(output).toMatch(/^ {2}load_errors\{kind:status 5xx\} \.+: count=20 /m);
  expect(output).not.toContain('load_errors{kind:timeout}');
  await server?.close();
  const short = await run({}, { SUMMARY: 'short' });
  expect(short.output).toMatch(/^ {2}requests {6}40,/m);
  expect(short.output).not.toContain('http_req_duration');
});
