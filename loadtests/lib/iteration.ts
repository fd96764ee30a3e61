/** One iteration: one request, checked, counted, and told of where it is recorded. */
import { sleep } from 'k6';
import { randomBytes } from 'k6/crypto';
import { b64decode } from 'k6/encoding';
import exec from 'k6/execution';
import http, { type RefinedResponse } from 'k6/http';
import { errorKindOf, wrongReplyKind } from './errors.ts';
import { parseExpectation, valueAt, wrongWith, type Expectation, type Reply } from './expect.ts';
import { count } from './metrics.ts';
import { print } from './print.ts';
import { lengthSeconds } from './profile.ts';
import type { Settings } from './settings.ts';
import type { LoadRequest } from './workload.ts';

const NO_REPLY_PAUSE_SECONDS = 1;

interface Prepared extends LoadRequest {
  url: string;
  expectations: Expectation[];
  /** Only then is the reply's body kept in memory. */
  looksAtBody: boolean;
}

/** From setup to every virtual user: each reads its settings by itself, at a time of its own. */
export interface RunIdentity {
  runId: string;
}

export function makeIteration(settings: Settings): {
  iteration: (run: RunIdentity) => void;
  /** Returns once every request is answered right; ends the run, without load, if that does not come. */
  waitUntilRight: () => RunIdentity;
} {
  const { plan, timeoutMs, drainMs, readyMs, prints } = settings;
  const warmupMs = plan.warmupSeconds * 1000;
  const lastDueMs = lengthSeconds(plan) * 1000;
  const requests = settings.requests.map((request) => prepare(request, settings.baseUrl));

  function iteration({ runId }: RunIdentity): void {
    const request = pick(requests);
    const begunMs = Date.now() - exec.scenario.startTime;
    const id = `${runId}-${String(exec.vu.idInTest)}-${String(exec.vu.iterationInInstance)}`;
    if (prints) {
      print(['b', id, begunMs, exec.scenario.startTime, request.workload]);
    }
    const mayTakeMs = Math.max(1, Math.min(timeoutMs, lastDueMs + drainMs - begunMs));
    const reply = send(request, id, mayTakeMs);
    const waitedMs = Date.now() - exec.scenario.startTime - begunMs;
    const { errorKind, ranBy } = judge(request, reply, id, mayTakeMs < timeoutMs);
    const durationMs = reply.status > 0 ? reply.timings.blocked + reply.timings.duration : waitedMs;
    if (prints) {
      print(['e', id, durationMs, reply.status, errorKind, ranBy]);
    }
    if (begunMs >= warmupMs && begunMs < lastDueMs) {
      count({ workload: request.workload, durationMs, errorKind, ranBy });
    }
    if (plan.loop === 'closed') {
      // An outage must not become thousands of errors a second.
      const pauseSeconds = errorKind !== '' && reply.status === 0 ? NO_REPLY_PAUSE_SECONDS : 0;
      sleep(Math.max(pauseSeconds, request.thinkTimeMs / 1000));
    }
  }

  function waitUntilRight(): RunIdentity {
    const giveUpMs = Date.now() + readyMs;
    for (const request of readyMs > 0 ? requests : []) {
      let why = waitingFor(request);
      while (why !== '' && Date.now() < giveUpMs) {
        sleep(0.25);
        why = waitingFor(request);
      }
      if (why !== '') {
        exec.test.abort(
          `${request.method} ${request.url} was not answered right within ${String(readyMs / 1000)} s (${why}): no load was made`,
        );
      }
    }
    return { runId: settings.runId };
  }

  /** Empty when the answer is right. */
  function waitingFor(request: Prepared): string {
    const id = `${settings.runId}-ready`;
    return judge(request, send(request, id, Math.min(timeoutMs, readyMs)), id, false).why;
  }

  return { iteration, waitUntilRight };
}

function prepare(request: LoadRequest, baseUrl: string): Prepared {
  return {
    ...request,
    url: baseUrl + request.path,
    expectations: request.expect.map(parseExpectation),
    looksAtBody:
      request.requestIdAt !== null ||
      request.ranAt !== null ||
      request.expect.some((text) => /^\s*(json|body)/.test(text)),
  };
}

/** By weight. */
function pick(requests: readonly Prepared[]): Prepared {
  const total = requests.reduce((sum, { weight }) => sum + weight, 0);
  let point = Math.random() * total;
  const chosen = requests.find(({ weight }) => (point -= weight) < 0) ?? requests[0];
  if (chosen === undefined) {
    throw new Error('the workload has no request');
  }
  return chosen;
}

/** Per virtual user, from its first sending on: bytes cost more to make than to send. */
const bytesOf = new Map<Prepared, ArrayBuffer>();

type K6Reply = RefinedResponse<'text' | 'none'>;

function send(request: Prepared, id: string, mayTakeMs: number): K6Reply {
  return http.request(request.method, request.url, bodyOf(request), {
    headers: { ...request.headers, 'x-load-id': id },
    timeout: `${String(Math.ceil(mayTakeMs))}ms`,
    tags: { name: request.workload },
    responseType: request.looksAtBody ? 'text' : 'none',
  });
}

function bodyOf(request: Prepared): string | ArrayBuffer | null {
  const { body } = request;
  if (body === null) return null;
  if ('text' in body && body.base64 !== true) return body.text;
  let bytes = bytesOf.get(request);
  if (bytes === undefined) {
    bytes =
      'text' in body ? b64decode(body.text) : randomBytes(Math.round(body.randomMiB * 1024 * 1024));
    bytesOf.set(request, bytes);
  }
  return bytes;
}

interface Judgement {
  errorKind: string;
  ranBy: string;
  /** For a person. */
  why: string;
}

function judge(
  request: Prepared,
  answer: K6Reply,
  id: string,
  timeoutIsTheEnd: boolean,
): Judgement {
  const kind = errorKindOf({
    status: answer.status,
    errorCode: answer.error_code,
    error: answer.error,
  });
  if (kind !== '') {
    const errorKind = kind === 'timeout' && timeoutIsTheEnd ? 'unanswered' : kind;
    return { errorKind, ranBy: '', why: answer.error || errorKind };
  }
  const reply: Reply = {
    status: answer.status,
    headers: answer.headers,
    body: typeof answer.body === 'string' ? answer.body : '',
  };
  const ranBy = request.ranAt === null ? '' : processOf(valueAt(request.ranAt, reply));
  const wrong = wrongWith(request.expectations, reply);
  if (wrong !== null) {
    return {
      errorKind: wrongReplyKind(reply.status),
      ranBy,
      why: `status ${String(reply.status)}, ${wrong}`,
    };
  }
  if (request.requestIdAt !== null && valueAt(request.requestIdAt, reply) !== id) {
    return {
      errorKind: 'wrong id',
      ranBy,
      why: `${request.requestIdAt} is not the id that was sent`,
    };
  }
  return { errorKind: '', ranBy, why: '' };
}

function processOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const { host = '', pid = '', role = '' } = value as Record<string, unknown>;
  return [host, pid, role].map(String).join('/');
}
