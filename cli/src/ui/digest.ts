import { createHash } from 'node:crypto';

/** The digest by which a Content-Security-Policy allows a script. */
export const digestOf = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;
