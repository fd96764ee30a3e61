// What an autoscaler decides during a run is in its record.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildCli } from '../support/cli';
import { createNamespace, until, type Namespace } from '../support/cluster';
import { n8nTuned, resultsFolder } from '../support/cluster-command';
import { installKnown, onKnown } from '../support/known-release';
import { seen } from '../support/seen';
import type { RunRecord } from '../../cli/src/record/run-record';

jest.setTimeout(600_000);

const { path: out, remove } = resultsFolder();
let space: Namespace;
beforeAll(async () => {
  buildCli();
  space = await createNamespace('autoscaled');
});
afterAll(async () => {
  remove();
  await space?.remove();
});

test('a report says that a HorizontalPodAutoscaler added a pod, with its reason', async () => {
  await installKnown(space, out, { oneAtATime: { serviceMs: 5 } });
  const results = join(out, 'results');
  const running = n8nTuned(
    ...['run', ...onKnown(space), '--out', results, '--rate', '10', '--warmup', '2s'],
    ...['--duration', '60s', '--slo', 'errors<1%', '--json'],
  );
  await until('the load', () =>
    Promise.resolve(existsSync(results) && readdirSync(results).length > 0),
  );
  // It decides by its least number of pods, and so without figures of their CPU.
  await space.apply([
    {
      ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
      metadata: { name: 'known' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'known' },
        ...{ minReplicas: 2, maxReplicas: 2 },
      },
    },
  ]);
  const { stdout, stderr } = await running;
  if (stdout === '') throw new Error(stderr);
  const { events, verdict } = JSON.parse(stdout) as RunRecord;
  expect(verdict.outcome).toBe('sustained');
  const decided = events.filter(({ kind }) => kind === 'autoscaler').map(({ text }) => text);
  expect(decided).toEqual([
    expect.stringMatching(/^known: New size: 2; reason: .*minReplicas/i) as string,
  ]);
  expect(events.filter(({ kind }) => kind === 'pod')).toHaveLength(1);
  seen('decisions of an autoscaler during a run', { decided });
});
