/**
 * A route, and how a request is matched against a list of them: the first route in the list that fits
 * wins. nginx decides by regular expressions over one line of text a request, so both are made here.
 */

/** `label`: one label before the name (Ingress). `suffix`: one or more (Gateway API). */
export type HostMatch = { kind: 'any' } | { kind: 'exact' | 'label' | 'suffix'; name: string };

export interface Route {
  host: HostMatch;
  path: { kind: 'exact' | 'prefix'; value: string };
  method?: string;
  /** Names in small letters. */
  headers?: { name: string; value: string }[];
  target: Target;
}

export interface Target {
  /** Addresses (ip:port) of each backend, or the status that stands for it, with its share. None at all: 404. */
  backends: { addresses: string[] | 500 | 503; weight: number }[];
  readTimeoutMs?: number;
  sendTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** A size that nginx understands, such as 8m; 0 is unlimited. */
  maxBodySize?: string;
}

/** A request as far as routing looks at it; host in small letters and without its port. */
export interface RequestLine {
  host: string;
  path: string;
  method: string;
  headers?: Record<string, string>;
}

const FIELD_END = '\n';
const ANY_FIELD = '[^\\x0a]*\\x0a';
/** `$` would also match before a last line break, which a path may hold. */
const TEXT_END = '(?![\\x00-\\xff])';

/** Every byte but the plainest as \xHH: no byte means anything to a regular expression or to nginx. */
function literal(text: string): string {
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[a-zA-Z0-9/_-]/.test(char) ? char : `\\x${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}

function hostPattern(host: HostMatch): string {
  if (host.kind === 'any') return ANY_FIELD;
  const name = `${literal(host.name)}\\x0a`;
  if (host.kind === 'exact') return name;
  return host.kind === 'label' ? `[^.\\x0a]+\\x2e${name}` : `[^\\x0a]+\\x2e${name}`;
}

/** A prefix is matched by whole path elements, whatever its trailing slash. */
function pathPattern(path: Route['path']): string {
  if (path.kind === 'exact') return literal(path.value) + TEXT_END;
  const trimmed = path.value.replace(/\/+$/, '');
  return trimmed === '' ? '' : `${literal(trimmed)}(?:/|${TEXT_END})`;
}

/** The headers that any of the routes looks at, in the order in which the line holds them. */
export function headerNames(routes: Route[]): string[] {
  return [
    ...new Set(routes.flatMap((route) => (route.headers ?? []).map(({ name }) => name))),
  ].sort();
}

export function routePattern(route: Route, names: string[]): string {
  const headers = names.map((name) => {
    const wanted = route.headers?.find((header) => header.name === name);
    return wanted ? `${literal(wanted.value)}\\x0a` : ANY_FIELD;
  });
  const method = route.method ? `${literal(route.method)}\\x0a` : ANY_FIELD;
  return `^${hostPattern(route.host)}${method}${headers.join('')}${pathPattern(route.path)}`;
}

/** What nginx matches; the path comes last, because only it may hold a line break. */
export function requestText(request: RequestLine, names: string[]): string {
  const headers = names.map((name) => request.headers?.[name] ?? '');
  const path = Buffer.from(request.path, 'utf8').toString('latin1');
  return [request.host, request.method, ...headers, path].join(FIELD_END);
}

/** The index of the route that nginx will choose, or -1. */
export function chooseRoute(routes: Route[], request: RequestLine): number {
  const names = headerNames(routes);
  const text = requestText(request, names);
  return routes.findIndex((route) => new RegExp(routePattern(route, names)).test(text));
}

/** Exact hosts before wildcards, longer wildcards before shorter ones, no host last. */
export function compareHosts(a: HostMatch, b: HostMatch): number {
  const rank = (host: HostMatch): number =>
    host.kind === 'exact' ? 0 : host.kind === 'any' ? 2 : 1;
  const length = (host: HostMatch): number => (host.kind === 'any' ? 0 : host.name.length);
  return rank(a) - rank(b) || length(b) - length(a);
}

/** The older object first, then by namespace and name. */
export function compareAge(
  a: { metadata: { creationTimestamp?: string; namespace?: string; name: string } },
  b: { metadata: { creationTimestamp?: string; namespace?: string; name: string } },
): number {
  const key = ({ metadata }: typeof a): string =>
    `${metadata.creationTimestamp ?? ''} ${metadata.namespace ?? ''}/${metadata.name}`;
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}
