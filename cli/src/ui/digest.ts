import { createHash } from 'node:crypto';

/** As a Content-Security-Policy names a script that may run. */
export const digestOf = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;
