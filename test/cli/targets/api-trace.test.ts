import type { ExecutionsSeen } from '../../../cli/src/analysis/traced-execution';
import { STALLED } from '../../../cli/src/analysis/n8n-execution';
import { traceFromNow } from '../../../cli/src/targets/url/trace';
import type { N8nApi } from '../../../cli/src/targets/url/api';

/** Executions as n8n's API shows them, one by one. */

const failed = (id: number, message: string): object => ({
  ...{ id, mode: 'webhook', status: 'error', finished: false },
  stoppedAt: '2026-11-21T10:00:00.000Z',
  data: { resultData: { error: { message } }, headers: { 'x-load-id': `run-${String(id)}` } },
});

async function traced(data: readonly object[]): Promise<ExecutionsSeen> {
  const api = {
    newestExecution: () => Promise.resolve(1),
    ask: (_: string, path: string) =>
      Promise.resolve({ data: path.includes('status=running') ? [] : data, nextCursor: null }),
  } as unknown as N8nApi;
  return (await traceFromNow(api)).read('run', 1000);
}

test('one whose job has stalled has crashed, one that failed by itself has not', async () => {
  const data = [failed(3, STALLED), failed(2, `another n8n says: ${STALLED}`)];
  const { executions } = await traced(data);
  expect(executions).toMatchObject([
    { loadId: 'run-3', outcome: 'failed', hasCrashed: true },
    { loadId: 'run-2', outcome: 'failed' },
  ]);
  expect(executions[1]).not.toHaveProperty('hasCrashed');
});

test('a retry runs a request again, and what another execution calls belongs to no request', async () => {
  const data = ['retry', 'integrated'].map((mode, at) => ({ ...failed(5 - at, 'any'), mode }));
  const { executions } = await traced(data);
  expect(executions).toMatchObject([{ loadId: null, retryFor: 'run-5' }, { loadId: null }]);
  expect(executions[1]).not.toHaveProperty('retryFor');
});

test('an id ends before an escaped quote, as in an error that has what was to be stored', async () => {
  const { executions } = await traced([failed(4, 'UPDATE with ["run-4","done"]')]);
  expect(executions).toMatchObject([{ loadId: 'run-4' }]);
});
