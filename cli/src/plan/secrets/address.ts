/** Addresses as they go into a record: without user and password, and without what a query or a path may hide. Pure. */
import { hidden } from './mask';

/** Parameters of the bundled workloads, and the usual names of a size or a number. */
const HARMLESS_NAME = /^(count|items|kib|limit|mb|mib|ms|n|page|size)$/;
const HARMLESS_VALUE = /^(true|false|)$/;

export const isHarmlessParameter = (name: string, value: string): boolean =>
  HARMLESS_VALUE.test(value) || (HARMLESS_NAME.test(name) && /^\d{1,12}(\.\d+)?$/.test(value));

/** The text without the secret parts of addresses in it. */
export const withoutSecretParts = (text: string): string =>
  withoutSecretQuery(withoutTokens(withoutUserInfo(text)));

/** `/webhook/order?token=...`; every value is masked but a number under a name that is no secret's. */
export function withoutSecretQuery(text: string): string {
  return text.replace(/\?[^\s#'"]*|(?<=\S)#[^\s'"]*/g, (part) => {
    const [sign = '?', ...rest] = part;
    const words = rest.join('').split('&');
    return sign + words.map((word) => withoutValue(word)).join('&');
  });
}

function withoutValue(word: string): string {
  const [name = '', ...values] = word.split('=');
  if (values.length === 0) return word === '' || HARMLESS_NAME.test(word) ? word : hidden(word);
  return isHarmlessParameter(name, values.join('=')) ? word : `${name}=${hidden(values.join('='))}`;
}

/**
 * `https://user:password@host`, `redis://:password@host`. A password may hold an `@` and, though it should be escaped
 * then, also a slash or a question mark; an `@` after a host belongs to the path.
 */
function withoutUserInfo(text: string): string {
  return text.replace(ADDRESS, (whole, scheme: string, before: string) => {
    const [host = ''] = before.split(/[/?#]/);
    const isOfPath = host !== before && /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(host);
    if (isOfPath && !STORE.test(scheme)) return whole;
    const [user = '', ...password] = before.split(':');
    hidden(password.length === 0 ? user : password.join(':'));
    return `${scheme}${hidden(before)}@`;
  });
}

const ADDRESS = /\b([a-z][a-z0-9+.-]*:\/\/)(\S*)@/gi;
const STORE = /^(rediss?|postgres(ql)?|mysql|mongodb|amqps?):/i;

/** A part of a path that is a key, as in `/bot1102015:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/send`. Those of n8n's webhooks are UUIDs. */
function withoutTokens(text: string): string {
  return text.replace(/(?<=\/)[\w:~.-]{20,}(?=[/?#\s]|$)/g, (part) =>
    isToken(part) ? hidden(part) : part,
  );
}

const isToken = (part: string): boolean =>
  (/[a-z]/.test(part) && /[A-Z]/.test(part) && /\d/.test(part) && !/\.\w{1,5}$/.test(part)) ||
  /^[0-9a-f]{32,}$/i.test(part);
