/**
 * Whether a response is the expected one. Expectations come on top of what every caller of a webhook takes for
 * granted: a status of 200 to 299, no login page and not n8n's editor. Only an expectation that names the status
 * lifts that. Nothing is imported from k6 here: the command asks it before the load begins, too.
 */
import { wrongWith, type Expectation, type HttpResponse } from './expect.ts';

export interface Received extends HttpResponse {
  /** The URL that was asked for; `url` is where the response came from after redirects. */
  requestedUrl: string;
  url: string;
}

export interface Unexpected {
  errorKind: string;
  /** For a person. */
  why: string;
}

/** n8n answers a GET on a path that it does not know with its editor and status 200. */
const EDITOR = /<title>\s*n8n\.io - Workflow Automation\s*<\/title>|static\/base-path\.js/i;
const PASSWORD_FIELD = /<input\b[^>]*\btype\s*=\s*["']?password\b/i;
const LOGIN_URL =
  /(^|[/._-])(log-?in|sign-?in|sso|saml2?|oauth2?|openid|auth|authorize|idp|accounts)([/._?#-]|$)/i;

/** Null for the expected response. */
export function unexpected(
  expectations: readonly Expectation[],
  response: Received,
): Unexpected | null {
  const statusKind =
    response.status >= 400 ? `status ${String(response.status)}` : 'unexpected response';
  if (!expectations.some(({ namesStatus }) => namesStatus)) {
    if (response.status < 200 || response.status > 299) {
      return {
        errorKind: statusKind,
        why: 'no expectation names the status, so it has to be 200 to 299',
      };
    }
    if (isLoginPage(response)) {
      return { errorKind: 'login page', why: `it is a login page (${response.url})` };
    }
    if (isHtml(response) && EDITOR.test(response.body)) {
      return { errorKind: 'editor page', why: "it is the page of n8n's editor" };
    }
  }
  const why = wrongWith(expectations, response);
  return why === null ? null : { errorKind: statusKind, why };
}

export interface Redirect {
  url: string;
  /** Else it is a GET without a body, as k6 and browsers have it. */
  keepsMethod: boolean;
}

/** How many of them are followed for one request. */
export const MAX_REDIRECTS = 10;

/** Null if it does not redirect, or to another host: only the host that was asked for may get the load. */
export function redirectWithinHost(
  url: string,
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
): Redirect | null {
  const location = [301, 302, 303, 307, 308].includes(status) ? locationIn(headers) : '';
  if (location === '') return null;
  const to = absolute(location, url);
  const host = hostnameOf(to);
  if (host === null || host !== hostnameOf(url)) return null;
  return { url: to, keepsMethod: status >= 307 };
}

/** Empty without one. */
export const locationIn = (headers: HttpResponse['headers']): string =>
  headerOf(headers, 'location').trim();

/** k6 has no URL. */
function absolute(location: string, url: string): string {
  const [, scheme = '', authority = '', path = ''] = /^(\w+:)(\/\/[^/?#]*)([^?#]*)/.exec(url) ?? [];
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return location;
  if (location.startsWith('//')) return scheme + location;
  if (location.startsWith('/')) return scheme + authority + location;
  const folder = /^[?#]/.test(location) ? path : path.replace(/[^/]*$/, '');
  return `${scheme}${authority}${folder || '/'}${location}`;
}

/** Null where clients could take it for different hosts. */
function hostnameOf(url: string): string | null {
  const host = /^https?:\/\/(\[[0-9a-f:.]+\]|[^/?#:@\\\s]+)(:\d*)?([/?#]|$)/i.exec(url)?.[1];
  return host?.toLowerCase() ?? null;
}

/** Whether it takes the body to judge the response. */
export function looksAtBody(expectations: readonly Expectation[]): boolean {
  return (
    !expectations.some(({ namesStatus }) => namesStatus) ||
    expectations.some(({ text }) => /^\s*(json|body)/.test(text))
  );
}

function isLoginPage(response: Received): boolean {
  if (isHtml(response) && PASSWORD_FIELD.test(response.body)) return true;
  return (
    response.url !== response.requestedUrl &&
    LOGIN_URL.test(beyond(response.requestedUrl, response.url))
  );
}

/** What the redirect has changed: a webhook whose own path says `auth` is no login page. */
function beyond(requested: string, url: string): string {
  const parts = new Set(partsOf(requested));
  return partsOf(url)
    .filter((part) => !parts.has(part))
    .join('/');
}

const partsOf = (url: string): string[] =>
  url
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[?#].*$/, '')
    .split('/');

const headerOf = (headers: HttpResponse['headers'], wanted: string): string =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';

function isHtml({ headers, body }: HttpResponse): boolean {
  return (
    headerOf(headers, 'content-type').includes('html') || /^\s*<(!doctype html|html)\b/i.test(body)
  );
}
