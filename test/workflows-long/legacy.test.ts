import { join } from 'node:path';
import { readCatalogue } from '../../cli/src/catalogue/read';
import { withHeaders } from '../../loadtests/lib/own-request';
import { requestsOf } from '../../loadtests/lib/workload';
import { N8N_LEGACY_VERSION } from '../support/versions';
import { key, keyCredential, withKey } from '../workflows/support/key';
import { startN8n, workflowsFolder, type RunningN8n } from '../workflows/support/n8n';
import { bodyOf, faultOf, registered, send } from '../workflows/support/request';

/** The workloads for n8n below 1.0, each way in which it runs executions. */
const catalogue = readCatalogue(join(workflowsFolder, 'catalogue.json'));
const legacy = catalogue.workloads.flatMap((workload) => {
  const variant = workload.variants.legacy;
  return variant === undefined ? [] : [{ workload, file: variant.file }];
});
const cases = legacy
  .filter(({ workload }) => workload.request !== undefined)
  .map(({ workload }) => ({ name: workload.name, workload }));

describe.each(['main', 'own'])('n8n 0.221.2 with EXECUTIONS_PROCESS=%s', (executionsProcess) => {
  let n8n: RunningN8n;

  beforeAll(async () => {
    n8n = await startN8n({
      version: N8N_LEGACY_VERSION,
      files: legacy.filter(({ workload }) => !workload.mayCrashN8n).map(({ file }) => file),
      inactive: legacy.filter(({ workload }) => workload.mayCrashN8n).map(({ file }) => file),
      made: [withKey('legacy/cpu.json', '9902', 'load-cpu-key')],
      credentials: [keyCredential],
      env: { EXECUTIONS_PROCESS: executionsProcess },
    });
  }, 400_000);

  afterAll(async () => {
    await n8n.stop();
  }, 60_000);

  it.each(cases)(
    'answers to $name as the catalogue says',
    async ({ workload }) => {
      const [request] = requestsOf(catalogue, workload.name, { variant: 'legacy' });
      if (request === undefined) throw new Error('no request');
      await registered(n8n.baseUrl, request);
      const id = `legacy-${workload.name}`;
      const answer = await send(n8n.baseUrl, request, id, bodyOf(request));
      expect(faultOf(request, answer, id)).toBeNull();
      // Node.js may end a timer a millisecond early.
      expect(answer.durationMs).toBeGreaterThan((workload.latencyFloorMs as number) - 10);
    },
    120_000,
  );

  it('demands a key where Header Auth is set in the Webhook node, as the notes advise', async () => {
    const [request] = requestsOf(catalogue, 'cpu', { variant: 'legacy' });
    if (request === undefined) throw new Error('no request');
    const open = { ...request, path: '/webhook/load-cpu-key?n=1000', expect: ['json.n==1000'] };
    await registered(n8n.baseUrl, open);
    expect((await send(n8n.baseUrl, open, 'without')).status).toBe(403);
    const [keyed = open] = withHeaders([open], [`${key.name}: ${key.value}`]);
    expect(faultOf(open, await send(n8n.baseUrl, keyed, 'with'), 'with')).toBeNull();
  }, 60_000);

  it('has memory-hog in it, asleep', () => {
    expect(
      n8n.query(`SELECT id, active FROM workflow_entity WHERE name = 'Load test: memory-hog'`),
    ).toEqual([{ id: 9005, active: 0 }]);
  });
});
