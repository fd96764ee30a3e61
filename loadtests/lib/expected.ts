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

function isHtml({ headers, body }: HttpResponse): boolean {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return (type ?? '').includes('html') || /^\s*<(!doctype html|html)\b/i.test(body);
}
