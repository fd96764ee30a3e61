/** Whatever k6 is told besides: the load is that of the plan, or there is none and one sentence says why. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../cli/src/targets/process/ports';
import { runPlainK6 } from '../support/k6';
import { startKnownServer, type KnownServer } from '../support/known-server';
import { isLong } from '../support/properties';
import { eventually } from '../support/wait';

jest.setTimeout(60_000);

let server: KnownServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'overrides-'));
  server = await startKnownServer();
});

beforeEach(() => {
  server.seen.right = 0;
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** `exec.test.abort()` of k6. */
const ABORTED = 108;

const configuration = (content: object): string[] => {
  const file = join(folder, `${JSON.stringify(content).replace(/\W+/g, '-')}.json`);
  writeFileSync(file, JSON.stringify(content));
  return ['--config', file];
};

const run = (
  profile: string,
  flags: readonly string[],
  environment: Record<string, string> = {},
): ReturnType<typeof runPlainK6> => {
  const size = profile === 'closed' ? { VUS: 2 } : { RATE: 20, WARMUP: 0 };
  const env = { BASE_URL: server.url, REQUEST: 'GET /x', READY: 0, DURATION: '1s', ...size };
  return runPlainK6(profile, env, undefined, flags, environment);
};

const isOk = ({ ok }: Response): boolean => ok;

const OVERRIDES: [name: string, flags: string[], environment?: Record<string, string>][] = [
  ['--vus 10', ['--vus', '10']],
  ['--iterations 10', ['--iterations', '10']],
  ['--vus 10 --iterations 10', ['--vus', '10', '--iterations', '10']],
  ['--duration 2s', ['--duration', '2s']],
  ['--stage 1s:5', ['--stage', '1s:5']],
  ['--rps 5', ['--rps', '5']],
  ['--min-iteration-duration 1s', ['--min-iteration-duration', '1s']],
  ['--batch 1', ['--batch', '1']],
  ['--no-setup', ['--no-setup']],
  ['--execution-segment 0:1/2', ['--execution-segment', '0:1/2']],
  ['K6_VUS=10', [], { K6_VUS: '10' }],
  ['K6_ITERATIONS=10', [], { K6_ITERATIONS: '10' }],
  ['K6_DURATION=2s', [], { K6_DURATION: '2s' }],
  ['K6_STAGES=1s:5', [], { K6_STAGES: '1s:5' }],
  ['K6_RPS=5', [], { K6_RPS: '5' }],
  ['K6_NO_SETUP=true', [], { K6_NO_SETUP: 'true' }],
];

const PROFILES = ['load', 'closed'];

describe.each(PROFILES)('%s', (profile) => {
  // In turns, as the profiles refuse them in one place; LONG=1 tries all with both.
  const number = PROFILES.indexOf(profile);
  const tried = OVERRIDES.filter((_, index) => isLong || index % PROFILES.length === number);
  it.each(tried)('is refused with %s, and nothing is sent', async (_name, flags, env = {}) => {
    const { exitCode, output, summary } = await run(profile, flags, env);
    expect(exitCode).toBe(ABORTED);
    expect(server.seen.right).toBe(0);
    expect(output).toContain(profile === 'closed' ? 'set VUS and DURATION' : 'set RATE, DURATION');
    expect(summary).toMatchObject({ requests: 0, passed: false });
  });

  it('is refused with virtual users from a configuration file', async () => {
    const { exitCode } = await run(profile, configuration({ vus: 10 }));
    expect(exitCode).toBe(ABORTED);
    expect(server.seen.right).toBe(0);
  });
});

test('more iterations than the plan has end the test where a controller makes setup by the API of k6', async () => {
  const api = `127.0.0.1:${String(await freePort())}`;
  const flags = ['--no-setup', '--paused', `--address=${api}`, '--vus=1', '--iterations=10'];
  const ended = run('load', flags);
  const put = (path: string, body: object): Promise<Response> =>
    fetch(`http://${api}/v1/${path}`, {
      method: path === 'setup' ? 'PUT' : 'PATCH',
      body: JSON.stringify(body),
    });
  await eventually(() =>
    put('setup', { runId: 'of-a-controller', seed: 1 }).then(isOk, () => false),
  );
  await put('status', { data: { type: 'status', id: 'default', attributes: { paused: false } } });
  const { exitCode, output } = await ended;
  expect(exitCode).toBe(ABORTED);
  expect(output).toContain('k6 runs more iterations than the plan has');
});

test.each([
  { iterations: 10 },
  { duration: '3s' },
  { stages: [{ duration: '1s', target: 5 }] },
  { scenarios: { other: { executor: 'shared-iterations', vus: 9, iterations: 9 } } },
])('the plan wins over %j of a configuration file, as k6 has it', async (content) => {
  const { summary } = await run('load', configuration(content));
  expect(server.seen.right).toBe(20);
  expect(summary?.requests).toBe(20);
});

test.each([
  ['--throw', ['--throw']],
  ['--tag run=7', ['--tag', 'run=7']],
  ['--no-thresholds', ['--no-thresholds']],
  ['--discard-response-bodies', ['--discard-response-bodies']],
])('%s leaves the load as it is', async (_name, flags) => {
  const { summary } = await run('load', flags);
  expect(server.seen.right).toBe(20);
  expect(summary).toMatchObject({ requests: 20, expected: 20 });
});

test('a script counts a request that got no response with --throw as without it', async () => {
  const gone = await startKnownServer();
  await gone.close();
  const env = { BASE_URL: gone.url, REQUEST: 'GET /x', READY: 0, RATE: 10, DURATION: '1s' };
  const { summary } = await runPlainK6('load', { ...env, WARMUP: 0 }, undefined, ['--throw']);
  expect(summary?.errors).toEqual({ refused: 10 });
});
