/** Why a request has no expected response, as one of a few kinds. Nothing is imported here. */
export interface RequestOutcome {
  /** 0 without a response. */
  status: number;
  /** k6's code of what went wrong on the way; 0 for nothing. */
  errorCode: number;
  error: string;
  /** The request went over a connection that an earlier one had left open. */
  reused?: boolean;
}

const REFUSED = 1212;
const TIMED_OUT = [1050, 1211];
const RESET = [1201, 1220];
/** The generator's own machine had none left: its fault, never that of the system under load. */
export const NO_SOCKET = 'no socket';

/** Empty where a response came that is neither 4xx nor 5xx: then its content decides. */
export function errorKindOf({ status, errorCode, error, reused }: RequestOutcome): string {
  if (status > 0 && (errorCode === 0 || (errorCode >= 1400 && errorCode < 1600))) {
    return '';
  }
  if (errorCode === REFUSED) return 'refused';
  if (TIMED_OUT.includes(errorCode)) return 'timeout';
  if (/too many open files|cannot assign requested address/i.test(error)) return NO_SOCKET;
  if (RESET.includes(errorCode) || /EOF|reset|broken pipe|closed/i.test(error)) {
    return reused === true ? 'reset on idle connection' : 'reset';
  }
  if (errorCode >= 1100 && errorCode < 1200) return 'no such host';
  if (errorCode >= 1300 && errorCode < 1400) return 'TLS';
  return 'network';
}

/** The kinds that k6 counts one by one in its summary; every other is `other`. */
export const COUNTED_KINDS = [
  'refused',
  'reset',
  'reset on idle connection',
  'no socket',
  'timeout',
  'unanswered',
  'unexpected response',
  'wrong id',
  'login page',
  'editor page',
  'status 4xx',
  'status 5xx',
  'other',
] as const;

export function countedKind(kind: string): (typeof COUNTED_KINDS)[number] {
  const coarse = kind.replace(/^status ([45])\d\d$/, 'status $1xx');
  return COUNTED_KINDS.find((known) => known === coarse) ?? 'other';
}
