import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStat, uptimeMs } from '../../cli/src/linux/proc';
import { ProcessTree } from '../../cli/src/linux/process-tree';
import { buildCli, endStartedClis, k6Of, runFolder, startCli, type CliRun } from '../support/cli';
import { readWholeRun } from '../support/read-run';
import { pause, until } from '../support/wait';

/** One of two workers dies in the middle of a run: the verdict begins with it, and no request is lost sight of. */

jest.setTimeout(480_000);

const out = mkdtempSync(join(tmpdir(), 'worker-killed-'));
beforeAll(buildCli);
afterAll(() => {
  endStartedClis();
  rmSync(out, { recursive: true, force: true });
});

/** So that n8n gives up on a dead worker's jobs sooner than after a minute; a worker that stalls keeps its own. */
const SOON = ['QUEUE_WORKER_LOCK_DURATION=15000', 'QUEUE_WORKER_LOCK_RENEW_TIME=3000'].concat(
  'QUEUE_WORKER_STALLED_INTERVAL=5000',
);

test('SIGKILL of one of two busy workers is the first thing that the verdict names', async () => {
  const run = startCli([
    ...['run', '--mode', 'queue', '--workers', '2', '--workload', 'wait-5s', '--rate', '3'],
    ...['--warmup', '0s', '--duration', '30s', '--drain', '90s', '--timeout', '150s'],
    ...['--slo', 'errors<1%', '--out', out, '--json'],
    ...SOON.flatMap((variable) => ['--env', variable]),
  ]);
  await until('k6', () => isUnderWay(run), 240_000);
  const samples = join(runFolder(out) ?? '', 'samples.csv');
  await until('the load', () => readFileSync(samples, 'utf8').includes('queueActive'), 60_000);
  await pause(12_000, 'a load of some seconds is what the worker loses');
  killAWorker(run);
  expect((await run.ended).code).toBe(1);

  const { record, requests } = await readWholeRun(runFolder(out) ?? '');
  const { verdict, summary, events } = record;
  const named =
    /^worker-\d ended: signal SIGKILL, [\d.]+ s into the load with (\d+) requests in flight$/;
  expect(verdict.outcome).toBe('not sustained');
  expect(verdict.breaches[0]?.text).toMatch(named);
  expect(verdict.sentence).toContain(verdict.breaches[0]?.text);
  const ended = events.find(({ kind }) => kind === 'exit');
  expect(ended?.inFlight).toBeGreaterThan(0);

  const { matched, executions } = summary;
  if (matched === undefined || 'skipped' in matched) throw new Error(JSON.stringify(matched));
  const { withoutExecution, notSucceeded, withoutResponse, failedBoth, notExecuted } = matched;
  const lists = [withoutExecution, notSucceeded, withoutResponse, failedBoth, notExecuted];
  const listed = lists.reduce((sum, one) => sum + (one?.requests ?? 0), matched.succeeded ?? 0);
  expect(listed).toBe(requests.length);
  const wrong = requests.filter(({ ok }) => !ok);
  expect(wrong.length).toBeGreaterThan(0);
  expect(
    (failedBoth?.requests ?? 0) + withoutResponse.requests + (notExecuted?.requests ?? 0),
  ).toBe(wrong.length);
  // What the worker left has its id still, by the patch keep-stalled.
  expect(failedBoth?.requests).toBe(matched.failed);
  expect(matched.failed).toBeGreaterThan(0);
  // Each execution once.
  const { succeeded = 0, failed = 0, unfinished = 0 } = executions ?? {};
  expect(succeeded + failed + unfinished).toBe(requests.length - (notExecuted?.requests ?? 0));
  expect(JSON.stringify(verdict.doubts)).not.toContain('another client used n8n');
});

function isUnderWay(run: CliRun): boolean {
  if (run.child.exitCode !== null) throw new Error(`it ended: ${run.stderr()}`);
  return k6Of(run.child.pid ?? 0) !== null;
}

function killAWorker({ child }: CliRun): void {
  const roots = [{ role: 'main' as const, instance: 'command', pid: child.pid ?? 0 }];
  const members = new ProcessTree<{ pid: number }>().look(roots, uptimeMs());
  const worker = members.find(
    ({ pid }) =>
      readStat(pid) !== null &&
      /n8n\0worker/.test(readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')),
  );
  if (worker === undefined) throw new Error('no worker runs');
  process.kill(worker.pid, 'SIGKILL');
}
