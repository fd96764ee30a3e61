/** Why a request has no right reply, as one of a few kinds. Nothing is imported here. */
export interface Outcome {
  /** 0 without a reply. */
  status: number;
  /** k6's code of what went wrong on the way; 0 for nothing. */
  errorCode: number;
  error: string;
}

const REFUSED = 1212;
const TIMED_OUT = [1050, 1211];
const RESET = [1201, 1220];

/** Empty where a reply came that is neither 4xx nor 5xx: then its content decides. */
export function errorKindOf({ status, errorCode, error }: Outcome): string {
  if (status > 0 && (errorCode === 0 || (errorCode >= 1400 && errorCode < 1600))) {
    return '';
  }
  if (errorCode === REFUSED) return 'refused';
  if (TIMED_OUT.includes(errorCode)) return 'timeout';
  if (RESET.includes(errorCode) || /EOF|reset|broken pipe|closed/i.test(error)) return 'reset';
  if (errorCode >= 1100 && errorCode < 1200) return 'no such host';
  if (errorCode >= 1300 && errorCode < 1400) return 'TLS';
  return 'network';
}

/** A wrong reply whose status says so is named by it. */
export function wrongReplyKind(status: number): string {
  return status >= 400 ? `status ${String(status)}` : 'wrong reply';
}

/** The kinds that k6 counts one by one in its summary; every other is `other`. */
export const COUNTED_KINDS = [
  'refused',
  'reset',
  'timeout',
  'unanswered',
  'wrong reply',
  'wrong id',
  'status 4xx',
  'status 5xx',
  'other',
] as const;

export function countedKind(kind: string): (typeof COUNTED_KINDS)[number] {
  const coarse = kind.replace(/^status ([45])\d\d$/, 'status $1xx');
  return COUNTED_KINDS.find((known) => known === coarse) ?? 'other';
}
