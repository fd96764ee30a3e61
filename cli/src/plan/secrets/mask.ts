/** What stands in a record in the place of a value that may be a secret. */
import { createHmac, randomBytes } from 'node:crypto';
import { know } from '../../ui/known-secrets';

export const MASK = '***';

/**
 * Drawn anew by each command and written nowhere: within a record equal values have equal masks, but nobody can find a
 * short password by trying what gives the same one, as with a plain hash or with a salt that the record holds.
 */
const key = randomBytes(32);
const SHOWN_DIGITS = 12;

export function maskOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${MASK}:${digestOf(text).slice(0, SHOWN_DIGITS)}`;
}

/** Tells within one command whether two texts are the same, and nobody what they hold. */
export const digestOf = (text: string): string =>
  createHmac('sha256', key).update(text).digest('hex');

/** A part of a text that may be a secret; from now on it is masked also in what others say. */
export function hidden(secret: string): string {
  know(secret);
  return MASK;
}

const SECRET_NAME = /KEY|SECRET|PASSWORD|PASSPHRASE|PASS$|PWD|TOKEN|CREDENTIAL|AUTH|CERT|DSN/i;

/** The same of a value whose name tells that it is one; another may be a word that stands in many texts. */
export function maskOfNamed(name: string, value: unknown): string {
  if (SECRET_NAME.test(name)) know(String(value));
  return maskOf(value);
}

/** A masked value tells that there was one; it is never a value to deploy or to start n8n with. */
export const isMasked = (value: string): boolean =>
  /^\*{3}(:[0-9a-f]{12})?$/.test(value) ||
  value.includes(`://${MASK}@`) ||
  /[?&]([^=&\s]+=)?\*{3}(?![^&#\s])/.test(value);
