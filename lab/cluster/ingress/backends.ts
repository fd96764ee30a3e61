import type { EndpointSlice, Service } from './objects.ts';

/** Finds the addresses behind the port of a Service. */
export interface Backends {
  /** 500: there is no such Service or port. 503: it has no pod that is ready. */
  find(
    namespace: string,
    service: string,
    port: { name?: string; number?: number },
  ): string[] | 500 | 503;
}

const key = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

export function indexBackends(services: Service[], slices: EndpointSlice[]): Backends {
  const byName = new Map(
    services.map((service) => [key(service.metadata.namespace, service.metadata.name), service]),
  );
  const slicesOf = new Map<string, EndpointSlice[]>();
  for (const slice of slices) {
    const service = key(
      slice.metadata.namespace,
      slice.metadata.labels?.['kubernetes.io/service-name'] ?? '',
    );
    slicesOf.set(service, [...(slicesOf.get(service) ?? []), slice]);
  }
  return {
    find(namespace, name, wanted) {
      const service = byName.get(key(namespace, name));
      const port = service?.spec.ports?.find((p) =>
        wanted.name === undefined ? p.port === wanted.number : p.name === wanted.name,
      );
      if (!port) return 500;
      const addresses = (slicesOf.get(key(namespace, name)) ?? []).flatMap((slice) => {
        // A Service's only port may be without a name, on either side.
        const target = slice.ports?.find((p) => (p.name ?? '') === (port.name ?? ''))?.port;
        if (target === undefined) return [];
        const ready = (slice.endpoints ?? []).filter(
          (endpoint) => endpoint.conditions?.ready !== false,
        );
        return ready.flatMap((endpoint) =>
          endpoint.addresses.map((ip) => (ip.includes(':') ? `[${ip}]` : ip) + `:${target}`),
        );
      });
      return addresses.length > 0 ? [...new Set(addresses)].sort() : 503;
    },
  };
}
