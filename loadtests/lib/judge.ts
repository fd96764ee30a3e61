/** From what came back to what it counts as. Nothing is imported from k6 here. */
import { errorKindOf, type RequestOutcome } from './errors.ts';
import { valueAt, type Expectation } from './expect.ts';
import { unexpected, type Received } from './expected.ts';

export interface Judged {
  expectations: readonly Expectation[];
  requestIdAt: string | null;
  ranAt: string | null;
}

export interface Judgement {
  /** Empty for the expected response. */
  errorKind: string;
  /** host/pid/role of the process that responded, where the response says so. */
  ranBy: string;
  /** For a person. */
  why: string;
}

export function judge(request: Judged, answer: RequestOutcome & Received, id: string): Judgement {
  const kind = errorKindOf(answer);
  if (kind !== '') return { errorKind: kind, ranBy: '', why: answer.error || kind };
  const ranBy = request.ranAt === null ? '' : processOf(valueAt(request.ranAt, answer));
  const wrong = unexpected(request.expectations, answer);
  if (wrong !== null) {
    return { ...wrong, ranBy, why: `status ${String(answer.status)}, ${wrong.why}` };
  }
  if (request.requestIdAt !== null && valueAt(request.requestIdAt, answer) !== id) {
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
