import { parseSlos } from '../../../loadtests/lib/slo';
import { refuseWithoutEvidence } from '../../../cli/src/run/evidence';
import { Mistake } from '../../../cli/src/ui/exit';

const url = {
  kind: 'url' as const,
  baseUrl: 'http://127.0.0.1:5678',
  executions: () => Promise.resolve(null),
  traceExecutions: () => Promise.resolve(null),
};
const backlog = parseSlos('p95<1s,backlog=0');

describe('an SLO for which a target has no evidence', () => {
  test('is refused with a sentence that says what to do', async () => {
    const refused = refuseWithoutEvidence(url, backlog);
    await expect(refused).rejects.toThrow(Mistake);
    await expect(refuseWithoutEvidence(url, backlog)).rejects.toThrow(
      "the SLO 'backlog=0' cannot be judged at http://127.0.0.1:5678: n8n's executions cannot be counted; set N8N_API_KEY",
    );
  });

  test('of a server there is none, and no key of n8n helps', async () => {
    const server = { ...url, kind: 'server' as const };
    await expect(refuseWithoutEvidence(server, backlog)).rejects.toThrow('remove this SLO.');
    await refuseWithoutEvidence(server, parseSlos('p95<1s'));
  });

  test('says what the API answered to a key that may not list executions', async () => {
    const traceExecutions = () => Promise.reject(new Error('status 403'));
    await expect(refuseWithoutEvidence({ ...url, traceExecutions }, backlog)).rejects.toThrow(
      '(status 403)',
    );
  });

  test('is taken where n8n counts its executions, or shows them one by one', async () => {
    const counts = { succeeded: 0, failed: 0, unfinished: 0, source: 'database' };
    const executions = () => Promise.resolve(counts);
    await refuseWithoutEvidence({ ...url, executions }, backlog);
    const trace = { source: 'API', affordable: 1, read: () => Promise.reject(new Error('later')) };
    const traceExecutions = () => Promise.resolve(trace);
    await refuseWithoutEvidence({ ...url, traceExecutions }, backlog);
    const watch = { source: 'queue metrics', lateMs: 0, open: () => Promise.resolve(0) };
    const backlogShown = () => Promise.resolve(watch);
    expect(await refuseWithoutEvidence({ ...url, backlog: backlogShown }, backlog)).toBe(watch);
    await refuseWithoutEvidence(url, parseSlos('p95<1s,errors<1%,throughput>=95%'));
  });
});
