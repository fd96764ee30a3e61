/** What stands in a record in the place of a value that may be a secret. */
import { createHmac, randomBytes } from 'node:crypto';

export const MASK = '***';

/**
 * Drawn anew by each command and written nowhere: within a record equal values have equal masks, but nobody can find a
 * short password by trying what gives the same one, as with a plain hash or with a salt that the record holds.
 */
const key = randomBytes(32);
const SHOWN_DIGITS = 12;

export function maskOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${MASK}:${createHmac('sha256', key).update(text).digest('hex').slice(0, SHOWN_DIGITS)}`;
}

/** A masked value tells that there was one; it is never a value to deploy or to start n8n with. */
export const isMasked = (value: string): boolean =>
  /^\*{3}(:[0-9a-f]{12})?$/.test(value) ||
  value.includes(`://${MASK}@`) ||
  /[?&]([^=&\s]+=)?\*{3}(?![^&#\s])/.test(value);
