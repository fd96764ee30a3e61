// A node that no longer answers in the middle of a run: its kubelet is stopped, as that of a machine that hangs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from '../../cli/src/record/run-record';
import { buildCli } from '../support/cli';
import { createNamespace, until, type Namespace } from '../support/cluster';
import { n8nTuned, OURS, resultsFolder } from '../support/cluster-command';
import { installKnown, onKnown } from '../support/known-release';
import { seen } from '../support/seen';
import { pause } from '../support/wait';

jest.setTimeout(900_000);

const { path: out, remove } = resultsFolder();
let space: Namespace;
beforeAll(async () => {
  buildCli();
  space = await createNamespace('node-lost');
});
afterAll(async () => {
  remove();
  await space?.remove();
});

/** From the first file of a run to its load, with time to spare. */
const BEGINS_MS = 10_000;

/** The kubelet of the native cluster, which runs on this machine. */
function kubelet(): number {
  const name = process.env['N8N_TUNED_CLUSTER'] ?? 'n8n-tuned';
  const found = readdirSync('/proc').find((pid) => {
    const file = join('/proc', pid, 'cmdline');
    if (!/^\d+$/.test(pid) || !existsSync(file)) return false;
    const [program, config = ''] = readFileSync(file, 'utf8').split('\0');
    return program === 'kubelet' && config.endsWith(`/cluster/state/${name}/kubelet.yaml`);
  });
  if (found === undefined) throw new Error('no kubelet of the native cluster runs here');
  return Number(found);
}

test('the run ends, its record says which node was lost, and what was made goes once the node is back', async () => {
  await installKnown(space, out, { oneAtATime: { serviceMs: 5 } });
  const results = join(out, 'results');
  const running = n8nTuned(
    ...['run', ...onKnown(space), '--out', results, '--rate', '5', '--warmup', '2s'],
    ...['--duration', '300s', '--slo', 'errors<1%', '--json'],
  );
  await until('the load', () =>
    Promise.resolve(existsSync(results) && readdirSync(results).length > 0),
  );
  await pause(BEGINS_MS, 'the measured part has begun');
  const pid = kubelet();
  const stoppedMs = Date.now();
  process.kill(pid, 'SIGSTOP');
  const { code, stdout, stderr } = await running.finally(() => {
    process.kill(pid, 'SIGCONT');
  });
  if (stdout === '') throw new Error(stderr);
  const { verdict, events, summary } = JSON.parse(stdout) as RunRecord;
  expect([code, verdict.outcome]).toEqual([3, 'aborted']);
  expect(verdict.sentence).toMatch(/its node node0 no longer responds/);
  expect(events).toContainEqual(
    expect.objectContaining({
      kind: 'exit',
      text: expect.stringMatching(/^known-\S+: its node node0 no longer responds/) as string,
    }),
  );
  await until(
    'the end of the load generator',
    async () =>
      (await space.kubectl('get', 'jobs,configmaps,pods', '-l', OURS, '-o', 'name')) === '',
  );
  seen('run whose node was lost', {
    afterSeconds: Math.round((Date.now() - stoppedMs) / 1000),
    requests: summary.offered.requests,
    sentence: verdict.sentence,
  });
});
