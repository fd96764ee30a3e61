/** The way by which users come to n8n, from what the cluster says of Ingresses and Gateways. Pure. */
import { isIPv6 } from 'node:net';
import { Mistake } from '../../../ui/exit';
import type { V1Ingress } from '../api/api-types';

export const WAYS = ['service', 'ingress', 'gateway'] as const;
export type Way = (typeof WAYS)[number];

export interface EntryPoint {
  /** Without a slash at the end. */
  baseUrl: string;
  /** Addresses of names that DNS need not know; empty where it has to. */
  hosts: Record<string, string>;
}

/** The part of an HTTPRoute and of a Gateway of gateway.networking.k8s.io/v1 that is looked at. */
export interface HttpRoute {
  metadata?: { name?: string; namespace?: string };
  spec?: {
    hostnames?: string[];
    parentRefs?: { name: string; namespace?: string; sectionName?: string; port?: number }[];
    rules?: { backendRefs?: { name?: string }[] }[];
  };
}
export interface Gateway {
  spec?: { listeners?: { name: string; port: number; protocol: string }[] };
  status?: { addresses?: { type?: string; value: string }[] };
}

/** `service`: that takes the webhooks. `given`: --via-address. */
export function throughIngress(
  ingresses: readonly V1Ingress[],
  service: string,
  given: string | null,
): EntryPoint {
  for (const { spec, status } of ingresses) {
    for (const { host, http } of spec?.rules ?? []) {
      if (http?.paths.some(({ backend }) => backend.service?.name === service) !== true) continue;
      const address = given ?? status?.loadBalancer?.ingress?.find(({ ip }) => ip)?.ip ?? null;
      const isSecure = (spec?.tls ?? []).some(({ hosts = [] }) => hosts.includes(host ?? ''));
      return wayOf({
        scheme: isSecure ? 'https' : 'http',
        host: host ?? null,
        port: null,
        address,
      });
    }
  }
  throw new Mistake(
    `no Ingress of the release leads to the Service ${service}: set ingress.enabled in --values, or use the Service (--via service).`,
  );
}

/** The route that leads to the Service, and the Gateway that it names. */
export function routeTo(routes: readonly HttpRoute[], service: string): HttpRoute {
  const found = routes.find(({ spec }) =>
    (spec?.rules ?? []).some(({ backendRefs = [] }) =>
      backendRefs.some(({ name }) => name === service),
    ),
  );
  if (found?.spec?.parentRefs?.[0] !== undefined) return found;
  throw new Mistake(
    `no HTTPRoute of the release leads from a Gateway to the Service ${service}: set httpRoute.enabled and httpRoute.parentRefs in --values, or use the Service (--via service).`,
  );
}

export function throughGateway(
  route: HttpRoute,
  gateway: Gateway,
  given: string | null,
): EntryPoint {
  const parent = route.spec?.parentRefs?.[0];
  const listeners = (gateway.spec?.listeners ?? []).filter(({ protocol }) =>
    /^HTTPS?$/.test(protocol),
  );
  const listener =
    listeners.find(({ name }) => name === parent?.sectionName) ??
    listeners.find(({ port }) => port === parent?.port) ??
    listeners[0];
  if (listener === undefined) {
    throw new Mistake(
      `the Gateway ${parent?.name ?? ''} has no listener for HTTP or HTTPS: add one, or use the Service (--via service).`,
    );
  }
  const address =
    given ??
    gateway.status?.addresses?.find(({ type = 'IPAddress' }) => type === 'IPAddress')?.value ??
    null;
  return wayOf({
    scheme: listener.protocol === 'HTTPS' ? 'https' : 'http',
    host: route.spec?.hostnames?.[0] ?? null,
    port: listener.port,
    address,
  });
}

interface Parts {
  scheme: 'http' | 'https';
  host: string | null;
  port: number | null;
  address: string | null;
}

/** A name with a wildcard stands for any of its names. */
function wayOf({ scheme, host, port, address }: Parts): EntryPoint {
  const name = host?.replace(/^\*\./, 'n8n-tuned.') ?? inUrl(address);
  if (name === null) {
    throw new Mistake(
      'the Ingress or Gateway has neither a host nor an address yet: set --via-address to its address.',
    );
  }
  const isUsual = port === null || port === (scheme === 'https' ? 443 : 80);
  return {
    baseUrl: `${scheme}://${name}${isUsual ? '' : `:${String(port)}`}`,
    hosts: host === null || address === null ? {} : { [name]: address },
  };
}

const inUrl = (address: string | null): string | null =>
  address !== null && isIPv6(address) ? `[${address}]` : address;
