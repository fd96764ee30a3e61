import { isDeepStrictEqual } from 'node:util';
import type { Backends } from './backends.ts';
import type { Ingress, IngressBackend } from './objects.ts';
import { compareAge, compareHosts, type HostMatch, type Route, type Target } from './route.ts';

export const INGRESS_CLASS = 'nginx';

const ANNOTATION = 'nginx.ingress.kubernetes.io/';
const DEFAULT_MAX_BODY_SIZE = '1m';

export function isOurs(ingress: Ingress): boolean {
  const legacy = ingress.metadata.annotations?.['kubernetes.io/ingress.class'];
  return (ingress.spec.ingressClassName ?? legacy) === INGRESS_CLASS;
}

function hostOf(host: string | undefined): HostMatch {
  if (!host) return { kind: 'any' };
  return host.startsWith('*.')
    ? { kind: 'label', name: host.slice(2).toLowerCase() }
    : { kind: 'exact', name: host.toLowerCase() };
}

/** The few settings by annotation that n8n behind nginx wants; one that does not read as such is left out. */
function settings(ingress: Ingress): Omit<Target, 'backends'> {
  const read = (name: string): string => ingress.metadata.annotations?.[ANNOTATION + name] ?? '';
  const timeout = (name: 'read' | 'send' | 'connect'): Partial<Target> => {
    const seconds = read(`proxy-${name}-timeout`);
    return /^[1-9][0-9]{0,5}$/.test(seconds)
      ? { [`${name}TimeoutMs`]: Number(seconds) * 1000 }
      : {};
  };
  const size = read('proxy-body-size');
  return {
    maxBodySize: /^[0-9]+[kmg]?$/i.test(size) ? size : DEFAULT_MAX_BODY_SIZE,
    ...timeout('read'),
    ...timeout('send'),
    ...timeout('connect'),
  };
}

/**
 * The routes of all Ingress objects in the order of the specification's precedence: the most specific
 * host alone decides; within it the longest path, and of equal paths Exact before Prefix; what no path
 * fits goes to the default backend.
 */
export function ingressRoutes(ingresses: Ingress[], backends: Backends): Route[] {
  const oldestFirst = ingresses.filter(isOurs).sort(compareAge);
  const target = (ingress: Ingress, backend: IngressBackend): Target => {
    const service = backend.service;
    const found = service
      ? backends.find(ingress.metadata.namespace ?? '', service.name, service.port)
      : 503;
    return {
      ...settings(ingress),
      backends: [{ addresses: found === 500 ? 503 : found, weight: 1 }],
    };
  };

  const routes = oldestFirst.flatMap((ingress) =>
    (ingress.spec.rules ?? []).flatMap((rule): Route[] =>
      (rule.http?.paths ?? []).map((path) => ({
        host: hostOf(rule.host),
        path: { kind: path.pathType === 'Exact' ? 'exact' : 'prefix', value: path.path ?? '/' },
        target: target(ingress, path.backend),
      })),
    ),
  );
  const fallback = oldestFirst.flatMap((ingress) =>
    ingress.spec.defaultBackend ? [target(ingress, ingress.spec.defaultBackend)] : [],
  )[0];

  const byHost = new Map<string, Route[]>();
  const everywhere: HostMatch = { kind: 'any' };
  for (const { host } of [...routes, { host: everywhere }]) {
    const ofHost = routes.filter((route) => isDeepStrictEqual(route.host, host)).sort(comparePaths);
    const rest: Route = {
      host,
      path: { kind: 'prefix', value: '/' },
      target: fallback ?? { backends: [] },
    };
    byHost.set(JSON.stringify(host), [...ofHost, rest]);
  }
  return [...byHost.values()].flat().sort((a, b) => compareHosts(a.host, b.host));
}

/** The longest path first, its trailing slash not counted in a prefix; of equal ones Exact before Prefix. */
function comparePaths(a: Route, b: Route): number {
  const length = ({ path }: Route): number =>
    (path.kind === 'prefix' ? path.value.replace(/\/+$/, '') : path.value).length;
  return (
    length(b) - length(a) || Number(a.path.kind === 'prefix') - Number(b.path.kind === 'prefix')
  );
}
