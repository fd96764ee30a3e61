/** A search that is gone on with, of a real server by a real k6, and what its record keeps. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasLatency } from '../../../cli/src/analysis/requests/latency';
import type { FindRecord } from '../../../cli/src/features/find/record';
import { plannedDueMs, requestTimes } from '../../../cli/src/features/find/traces/requests';
import { buildCli, endStartedClis, runCli } from '../../support/cli';
import { allRequests } from '../../support/read-run';

// On a busy machine each probe first waits until the system is idle.
jest.setTimeout(600_000);

const SERVER = join(__dirname, '../../../studies/known-capacity/server.ts');

let out: string;
let server: ChildProcess;
let url: string;

beforeAll(async () => {
  buildCli();
  // One request at a time.
  const slots = JSON.stringify({ slots: 1, serviceMs: 20 });
  server = spawn(process.execPath, ['--import', 'tsx', SERVER, slots], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (server.stdout === null) throw new Error('the server cannot be heard');
  url = String((await once(server.stdout, 'data'))[0]).trim();
  out = mkdtempSync(join(tmpdir(), 'continue-'));
});
afterAll(() => {
  endStartedClis();
  server.kill('SIGKILL');
  rmSync(out, { recursive: true, force: true });
});

/** No search of some seconds is as sure, so that another one always has something left to learn. */
const PRECISION = ['--precision', '1%'];

const find = (slo: string, ...more: string[]): string[] => [
  ...['find', '--url', url, '--request', 'GET /x', '--expect', 'json.ok==true', '--slo', slo],
  ...['--anyway', '--stop-if', 'never', '--probe', '1s', '--full', '2s'],
  ...[...PRECISION, '--json', ...more],
];

const search = async (...more: string[]): Promise<FindRecord & { folder: string }> => {
  const { stdout } = await runCli(find('p95<200ms', ...more));
  return JSON.parse(stdout) as FindRecord & { folder: string };
};

test('find --continue adds probes to a record, from whose seeds all due times come back', async () => {
  const first = await search('--budget', '8s', '--out', out);
  const second = await search('--budget', '6s', '--continue', first.folder);
  expect(second.folder).toBe(first.folder);
  expect(second.id).toBe(first.id);
  expect(second.probes.slice(0, first.probes.length)).toEqual(first.probes);
  expect(second.probes.length).toBeGreaterThan(first.probes.length);
  expect(second.continued).toHaveLength(1);
  expect(second.startedAt).toBe(first.startedAt);
  expect(second.totalSeconds).toBeGreaterThan(first.totalSeconds);
  let open = 0;
  for (const { requests, run } of second.probes) {
    if (requests === undefined) throw new Error(`${run} keeps no requests`);
    // A request that the end of a load broke off has no latency.
    const sent = (await allRequests(join(second.folder, run)))
      .filter(hasLatency)
      .sort((a, b) => a.tMs - b.tMs);
    const times = requestTimes(requests);
    expect(times?.dueMs).toHaveLength(sent.length);
    sent.forEach(({ tMs, durationMs }, index) => {
      expect(Math.abs((times?.dueMs[index] ?? NaN) - tMs)).toBeLessThan(0.06);
      expect(Math.abs((times?.latencyMs[index] ?? NaN) / durationMs - 1)).toBeLessThan(0.006);
    });
    if (requests.profile.loop === 'closed') continue;
    open += 1;
    expect(requests.dueMs).toBeUndefined();
    expect(plannedDueMs(requests.profile, 1)?.length).toBeGreaterThanOrEqual(sent.length);
  }
  expect(open).toBeGreaterThan(0);
});

test('find --continue refuses another search by what is another one in it', async () => {
  const first = await search('--budget', '5s', '--out', out);
  const { code, stderr } = await runCli(find('p95<1s', '--continue', first.folder));
  expect(code).toBe(2);
  expect(stderr).toContain('was made with the SLO p95<200ms, not p95<1s. Use the same options');
});
