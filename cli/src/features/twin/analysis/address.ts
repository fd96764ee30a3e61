/** Addresses that lead to the stand-in in place of a service. Pure. */

/** Bundled workflows have it too: each target puts the address of its stand-in there. */
export const STAND_IN = 'http://127.0.0.1:5690';

export interface Moved {
  url: string;
  /** Null: it is known only when the workflow runs. */
  host: string | null;
  /** Null likewise; without the query. */
  path: string | null;
}

/** A URL, or an expression of n8n that becomes one. */
export function movedUrl(given: string): Moved {
  const [sign, text] = given.startsWith('=') ? ['=', given.slice(1)] : ['', given];
  const [, host = '', rest = ''] = /^\s*https?:\/\/([^/?#{}\s]+)(.*)$/s.exec(text) ?? [];
  if (host !== '') {
    const path = rest.replace(/[?#].*$/s, '');
    return {
      url: `${sign}${STAND_IN}/to/${host}${rest}`,
      host: host.replace(/:\d+$/, '').toLowerCase(),
      path: path.includes('{{') ? null : path === '' ? '/' : path,
    };
  }
  const [, expression = '', after = ''] =
    /^\s*(?:https?:\/\/)?\{\{(.*?)\}\}(.*)$/s.exec(text) ?? [];
  if (sign === '=' && expression.trim() !== '') {
    const bare = `{{ String(${expression.trim()}).replace(/^https?:\\/\\//, '') }}`;
    return { url: `=${STAND_IN}/to/${bare}${after}`, host: null, path: null };
  }
  // n8n takes a URL without its protocol as one of http.
  const [, bareHost = ''] = /^([^/?#{}\s]+)/.exec(text) ?? [];
  return bareHost === ''
    ? { url: `${STAND_IN}/to/unknown/`, host: null, path: null }
    : movedUrl(`${sign}http://${text}`);
}
