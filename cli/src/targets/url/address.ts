/** The address of an n8n as the user writes it, or copies it from the editor. */
import { Mistake } from '../../ui/errors';

/** Paths of n8n that are requested, after whatever n8n itself lies under (N8N_PATH). */
const REQUESTED = /^(.*?)(\/(?:webhook|webhook-test|webhook-waiting|form|form-test|mcp)\/.+)$/;
/** Pages of its editor, whose addresses are copied as easily. */
const PAGES =
  /^(.*?)\/(workflow|workflows|home|projects|executions|credentials|settings|signin|setup|api\/v1|healthz|metrics)(\/.*)?$/;

export interface UrlParts {
  /** Without a slash at its end. */
  baseUrl: string;
  /** With its query; null where the address is that of n8n alone. */
  path: string | null;
}

/** Both parts of an address that may be that of a webhook. */
export function addressOf(text: string, flag = '--url'): UrlParts {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new Mistake(`${flag} is '${text}': ${schemeAdvice(text)}.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Mistake(
      `${flag} contains a password: remove it, and use --header 'Authorization: Basic ...' with --request instead.`,
    );
  }
  const { origin, pathname, search } = url;
  const [, before = '', path] = REQUESTED.exec(pathname) ?? [];
  if (path !== undefined) {
    const baseUrl = `${origin}${before}`;
    if (/^\/(webhook|form)-test\//.test(path)) throw new Mistake(testText(path, baseUrl));
    return { baseUrl, path: `${path}${search}` };
  }
  const [, under] = PAGES.exec(pathname) ?? [];
  if (under !== undefined) {
    throw new Mistake(
      `${flag} leads to ${pathname}, a page of n8n: use the address of n8n, ${origin}${under}, or of a webhook.`,
    );
  }
  if (search !== '') {
    throw new Mistake(
      `${flag} has a query, '${search}': remove it from the address of n8n, and specify the request with --request.`,
    );
  }
  return { baseUrl: `${origin}${pathname}`.replace(/\/+$/, ''), path: null };
}

/** The base URL of an n8n. */
export function baseUrlFrom(text: string): string {
  const { baseUrl, path } = addressOf(text);
  if (path === null) return baseUrl;
  throw new Mistake(`--url is the address of a webhook: use the address of n8n, ${baseUrl}.`);
}

function schemeAdvice(text: string): string {
  const isHost = /^[\w.-]+(:\d+)?(\/.*)?$/.test(text);
  if (!isHost) return 'use a form such as http://127.0.0.1:5678';
  const isLocal = /^(localhost|127\.|10\.|192\.168\.)|^[\w-]+(:|$)/.test(text);
  const example = `${isLocal ? 'http' : 'https'}://${text}`;
  return `http:// or https:// is missing: use a form such as ${example}`;
}

/** The editor answers one request at it, while somebody looks on. */
export const testText = (path: string, baseUrl: string): string =>
  `${path.replace(/[?#].*$/, '')} is the test address of the editor, which responds to a single request after a click: publish the workflow and use ${baseUrl}${path.replace('-test/', '/').replace(/[?#].*$/, '')}.`;
