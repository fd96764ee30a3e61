/** The address of a monitoring system, and how to send a request to it. */
import { Mistake } from '../ui/exit';
import { shortly } from '../ui/said';
import { unreachable } from '../ui/unreachable';

export interface Address {
  /** Without credentials, and without a slash at its end. */
  url: string;
  headers: Readonly<Record<string, string>>;
}

interface AddressOption {
  flag: string;
  example: string;
  /** The environment variable that may hold a bearer token. */
  tokenVariable: string;
}

export function addressOf(text: string, { flag, example, tokenVariable }: AddressOption): Address {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new Mistake(`${flag} is '${withoutUser(text)}': use a form such as ${example}.`);
  }
  const token = process.env[tokenVariable] ?? '';
  const { username, password } = url;
  url.username = '';
  url.password = '';
  return {
    url: url.href.replace(/\/+$/, ''),
    headers:
      username !== '' || password !== ''
        ? { authorization: `Basic ${basic(username, password)}` }
        : token === ''
          ? {}
          : { authorization: `Bearer ${token}` },
  };
}

const withoutUser = (text: string): string => text.replace(/\/\/[^/@\s]*@/, '//');

const basic = (username: string, password: string): string =>
  Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');

/** A percent sign of its own stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface HttpResponse {
  status: number;
  text: string;
}

const PATIENCE_MS = 10_000;

/** Nobody answered there: nothing is known of what became of a request. */
export class NoAnswer extends Error {}

export async function ask(
  { url, headers }: Address,
  path: string,
  init: {
    method?: string;
    headers?: Record<string, string>;
    body?: string | Uint8Array<ArrayBuffer>;
  } = {},
): Promise<HttpResponse> {
  try {
    const reply = await fetch(`${url}${path}`, {
      ...init,
      headers: { ...headers, ...init.headers },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: reply.status, text: await reply.text() };
  } catch (error) {
    throw new NoAnswer(`${url} does not answer (${unreachable(error, url).why})`);
  }
}

/** The first line of what a server said, as part of a sentence. */
export const firstLine = (text: string): string =>
  shortly(text.trim().split('\n')[0] ?? '').replace(/[.\s]+$/, '');
