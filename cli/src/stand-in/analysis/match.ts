/** Finds where a request goes, and which rule answers it. Pure. */
import type { StandInRule } from '../plan';

/** A stand-in of several hosts has the name of each in the path: `/to/api.example.com/orders`. */
const TO = /^\/to\/([^/]+)(\/.*)?$/;

export interface Destination {
  host: string;
  /** Without the query. */
  path: string;
  query: string;
}

/** `target` is that of the first line of a request: a path, or a whole address where the stand-in is asked as a proxy. */
export function destinationOf(target: string, hostHeader: string): Destination {
  let [host, rest] = [hostHeader, target];
  const [, proxied, proxiedRest] = /^https?:\/\/([^/?]+)(.*)$/.exec(target) ?? [];
  if (proxied !== undefined) [host, rest] = [proxied, proxiedRest ?? ''];
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(rest) ?? [];
  const [, named, below = '/'] = TO.exec(path) ?? [];
  return named === undefined
    ? { host: withoutPort(host), path: path === '' ? '/' : path, query }
    : { host: withoutPort(decoded(named)), path: below, query };
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, '').toLowerCase();

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const queryOf = (query: string): Record<string, string> =>
  query === '' ? {} : Object.fromEntries(new URLSearchParams(query));

export type Matcher = (
  method: string,
  destination: Destination,
) => { index: number; path: Record<string, string> } | null;

export function matcherOf(
  rules: readonly Pick<StandInRule, 'host' | 'method' | 'path'>[],
): Matcher {
  const all = rules.map(({ host, method, path }) => ({ host, method, path: pathPattern(path) }));
  return (method, destination) => {
    for (const [index, rule] of all.entries()) {
      if (rule.host !== null && rule.host !== destination.host) continue;
      if (rule.method !== null && rule.method !== method) continue;
      const found = rule.path.exec(destination.path);
      if (found === null) continue;
      const parts = Object.entries(found.groups ?? {}).map(([key, value]) => [key, decoded(value)]);
      return { index, path: Object.fromEntries(parts) as Record<string, string> };
    }
    return null;
  };
}

function pathPattern(path: string): RegExp {
  const source = path
    .replace(/[.+?^$()|[\]\\]/g, '\\$&')
    .replace(/\*$/, '.*')
    .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${source}$`);
}
