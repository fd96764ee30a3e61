import type { Backends } from './backends.ts';
import type {
  BackendRef,
  Gateway,
  HttpRoute,
  HttpRouteMatch,
  Listener,
  ParentRef,
} from './objects.ts';
import { compareAge, compareHosts, type HostMatch, type Route, type Target } from './route.ts';

export const GATEWAY_CLASS = 'nginx';

const NO_TIMEOUT_MS = 24 * 3600 * 1000;
const UNIT_MS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

export type Scheme = 'http' | 'https';

/** All Gateways share one address, so only its two ports can be listened on. */
export function schemeOf(listener: Listener): Scheme | undefined {
  if (listener.protocol === 'HTTP' && listener.port === 80) return 'http';
  const terminates =
    listener.protocol === 'HTTPS' && listener.port === 443 && listener.tls?.mode !== 'Passthrough';
  return terminates ? 'https' : undefined;
}

const covers = (wildcard: string, host: string): boolean =>
  host.endsWith(wildcard.slice(1)) && host.length > wildcard.length - 1;

/** The host names that both a listener and a route take; none where they share nothing. */
export function sharedHosts(
  listener: string | undefined,
  route: string[] | undefined,
): HostMatch[] {
  const hosts = route && route.length > 0 ? route : undefined;
  const shared = !listener
    ? (hosts ?? [''])
    : !hosts
      ? [listener]
      : hosts.flatMap((host) => {
          if (host === listener || (listener.startsWith('*.') && covers(listener, host)))
            return [host];
          return host.startsWith('*.') && covers(host, listener) ? [listener] : [];
        });
  return shared.map((host) => {
    if (host === '') return { kind: 'any' };
    return host.startsWith('*.')
      ? { kind: 'suffix', name: host.slice(2) }
      : { kind: 'exact', name: host };
  });
}

/** The listeners that take the route by this parent reference. */
export function listenersOf(route: HttpRoute, ref: ParentRef, gateways: Gateway[]): Listener[] {
  if ((ref.kind ?? 'Gateway') !== 'Gateway') return [];
  const namespace = ref.namespace ?? route.metadata.namespace;
  const gateway = gateways.find(
    (g) =>
      g.metadata.name === ref.name &&
      g.metadata.namespace === namespace &&
      g.spec.gatewayClassName === GATEWAY_CLASS,
  );
  return (gateway?.spec.listeners ?? []).filter((listener) => {
    const from = listener.allowedRoutes?.namespaces?.from ?? 'Same';
    return (
      (ref.sectionName === undefined || ref.sectionName === listener.name) &&
      (ref.port === undefined || ref.port === listener.port) &&
      (from === 'All' || (from === 'Same' && namespace === route.metadata.namespace)) &&
      sharedHosts(listener.hostname, route.spec.hostnames).length > 0
    );
  });
}

/** What is asked for in a match and cannot be had here. */
function unsupported(match: HttpRouteMatch): boolean {
  return (
    match.path?.type === 'RegularExpression' ||
    (match.headers ?? []).some((header) => header.type === 'RegularExpression') ||
    (match.queryParams ?? []).length > 0
  );
}

export function durationMs(duration: string): number {
  const parts = [...duration.matchAll(/([0-9]+)(ms|h|m|s)/g)];
  return (
    parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNIT_MS[unit ?? ''] ?? 0), 0) ||
    NO_TIMEOUT_MS
  );
}

function backendOf(
  ref: BackendRef,
  namespace: string,
  backends: Backends,
): Target['backends'][number] {
  const plain =
    (ref.kind ?? 'Service') === 'Service' &&
    (ref.group ?? '') === '' &&
    (ref.namespace ?? namespace) === namespace && // another one would want a ReferenceGrant
    (ref.filters ?? []).length === 0;
  const port = ref.port === undefined ? {} : { number: ref.port };
  return {
    addresses: plain ? backends.find(namespace, ref.name, port) : 500,
    weight: ref.weight ?? 1,
  };
}

interface Candidate extends Route {
  headerCount: number;
}

function candidates(route: HttpRoute, hosts: HostMatch[], backends: Backends): Candidate[] {
  const namespace = route.metadata.namespace ?? '';
  return (route.spec.rules ?? []).flatMap((rule) => {
    // Filters change the request: to leave one out would be wrong, so such a rule answers 500.
    const refs =
      (rule.filters ?? []).length > 0
        ? []
        : (rule.backendRefs ?? []).map((ref) => backendOf(ref, namespace, backends));
    const weighted = refs.filter(({ weight }) => weight > 0);
    const timeout = rule.timeouts?.request ?? rule.timeouts?.backendRequest;
    const target: Target = {
      backends: weighted.length > 0 ? weighted : [{ addresses: 500, weight: 1 }],
      maxBodySize: '0',
      ...(timeout !== undefined && { readTimeoutMs: durationMs(timeout) }),
    };
    const matches = rule.matches && rule.matches.length > 0 ? rule.matches : [{}];
    return matches
      .filter((match) => !unsupported(match))
      .flatMap((match) => {
        // If a header is named twice, the first counts.
        const headers = new Map<string, string>();
        for (const { name, value } of match.headers ?? [])
          if (!headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), value);
        return hosts.map((host) => ({
          host,
          path: {
            kind: match.path?.type === 'Exact' ? ('exact' as const) : ('prefix' as const),
            value: match.path?.value ?? '/',
          },
          ...(match.method !== undefined && { method: match.method }),
          headers: [...headers].map(([name, value]) => ({ name, value })),
          headerCount: headers.size,
          target,
        }));
      });
  });
}

/** Exact path, longest prefix, a method, most headers; the rest is the order of age and then of the rules. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    compareHosts(a.host, b.host) ||
    Number(a.path.kind === 'prefix') - Number(b.path.kind === 'prefix') ||
    b.path.value.length - a.path.value.length ||
    Number(a.method === undefined) - Number(b.method === undefined) ||
    b.headerCount - a.headerCount
  );
}

/** The routes of all HTTPRoute objects on the listeners of one scheme, in the order of precedence. */
export function gatewayRoutes(
  httpRoutes: HttpRoute[],
  gateways: Gateway[],
  backends: Backends,
  scheme: Scheme,
): Route[] {
  return [...httpRoutes]
    .sort(compareAge)
    .flatMap((route) => {
      const listeners = (route.spec.parentRefs ?? []).flatMap((ref) =>
        listenersOf(route, ref, gateways),
      );
      const hosts = listeners
        .filter((listener) => schemeOf(listener) === scheme)
        .flatMap((listener) => sharedHosts(listener.hostname, route.spec.hostnames));
      const distinct = [...new Map(hosts.map((host) => [JSON.stringify(host), host])).values()];
      return candidates(route, distinct, backends);
    })
    .sort(compareCandidates);
}
