/** Before the load: every request has to get its expected response once. */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { ended, send, type Prepared } from './request.ts';
import type { Settings } from './settings.ts';

const HTTP_1 = 'HTTP/1.1';

/** Returns once that has happened; ends the run, without load, when it does not. */
export function waitUntilExpected(settings: Settings, requests: readonly Prepared[]): void {
  const { readyMs, timeoutMs, runId, onlyHttp1 } = settings;
  if (readyMs === 0) return;
  const giveUpMs = Date.now() + readyMs;
  const waitingFor = (request: Prepared): string => {
    const id = `${runId}-ready`;
    const response = send(request, id, Math.min(timeoutMs, readyMs));
    const { why, protocol } = ended(request, response, id, 0, false);
    if (onlyHttp1 && protocol !== '' && protocol !== HTTP_1) {
      exec.test.abort(
        `${request.url} responds over ${protocol} although HTTP=1.1 was asked for: add -e GODEBUG=http2client=0; no load was made`,
      );
    }
    return why;
  };
  for (const request of requests) {
    let why = waitingFor(request);
    while (why !== '' && Date.now() < giveUpMs) {
      sleep(0.25);
      why = waitingFor(request);
    }
    if (why !== '') {
      exec.test.abort(
        `${request.method} ${request.url} did not get its expected response within ${String(readyMs / 1000)} s (${why}): no load was made`,
      );
    }
  }
}
