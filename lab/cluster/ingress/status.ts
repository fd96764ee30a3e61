import { isDeepStrictEqual } from 'node:util';
import { GATEWAY_CLASS, listenersOf, schemeOf } from './gateway.ts';
import { isOurs } from './ingress.ts';
import type { Gateway, Metadata, Objects } from './objects.ts';

const CONTROLLER = 'n8n-tuned.local/ingress';

export interface StatusPatch {
  path: string;
  status: unknown;
}

interface Condition {
  type: string;
  status: 'True' | 'False';
  reason: string;
  message: string;
  observedGeneration: number;
  lastTransitionTime: string;
}

function pathOf(group: string, kind: string, { namespace, name }: Metadata): string {
  return `/apis/${group}/v1/${namespace === undefined ? '' : `namespaces/${namespace}/`}${kind}/${name}`;
}

/** The statuses to write, for those objects whose status does not say it yet. */
export function statusPatches(
  objects: Objects,
  addresses: { ingress: string; gateway: string },
  now: string,
): StatusPatch[] {
  const condition = (
    of: { metadata: Metadata; status?: unknown },
    type: string,
    ok: boolean,
    reason: string,
  ): Condition => {
    const said = JSON.stringify(of.status ?? {});
    const fresh = {
      type,
      status: ok ? 'True' : 'False',
      reason,
      message: '',
      observedGeneration: of.metadata.generation ?? 0,
    } as const;
    // The time stays as long as nothing else changes, or every patch would lead to the next.
    const match = new RegExp(`"lastTransitionTime":"([^"]+)"`).exec(said)?.[1];
    return { ...fresh, lastTransitionTime: match ?? now };
  };

  const ingresses = objects.ingresses.filter(isOurs).map((ingress) => ({
    of: ingress,
    path: pathOf('networking.k8s.io', 'ingresses', ingress.metadata),
    status: { loadBalancer: { ingress: [{ ip: addresses.ingress }] } },
  }));

  const attached = (gateway: Gateway, listener: string): number =>
    objects.httpRoutes.filter((route) =>
      (route.spec.parentRefs ?? []).some((ref) =>
        listenersOf(route, ref, [gateway]).some(({ name }) => name === listener),
      ),
    ).length;
  const gateways = objects.gateways
    .filter((gateway) => gateway.spec.gatewayClassName === GATEWAY_CLASS)
    .map((gateway) => {
      const served = gateway.spec.listeners.map((listener) => schemeOf(listener) !== undefined);
      const all = served.every(Boolean);
      return {
        of: gateway,
        path: pathOf('gateway.networking.k8s.io', 'gateways', gateway.metadata),
        status: {
          addresses: [{ type: 'IPAddress', value: addresses.gateway }],
          conditions: [
            condition(gateway, 'Accepted', all, all ? 'Accepted' : 'ListenersNotValid'),
            condition(gateway, 'Programmed', all, all ? 'Programmed' : 'Invalid'),
          ],
          listeners: gateway.spec.listeners.map((listener, index) => ({
            name: listener.name,
            attachedRoutes: attached(gateway, listener.name),
            supportedKinds: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' }],
            conditions: [
              condition(
                gateway,
                'Accepted',
                served[index] === true,
                served[index] ? 'Accepted' : 'PortUnavailable',
              ),
              condition(
                gateway,
                'Programmed',
                served[index] === true,
                served[index] ? 'Programmed' : 'Invalid',
              ),
              condition(gateway, 'ResolvedRefs', true, 'ResolvedRefs'),
            ],
          })),
        },
      };
    });

  const routes = objects.httpRoutes.map((route) => {
    const namespace = route.metadata.namespace;
    const ours = (route.spec.parentRefs ?? []).filter((ref) =>
      objects.gateways.some(
        (g) =>
          g.metadata.name === ref.name &&
          g.metadata.namespace === (ref.namespace ?? namespace) &&
          g.spec.gatewayClassName === GATEWAY_CLASS,
      ),
    );
    return {
      of: route,
      path: pathOf('gateway.networking.k8s.io', 'httproutes', route.metadata),
      status: {
        parents: ours.map((parentRef) => {
          const taken = listenersOf(route, parentRef, objects.gateways).length > 0;
          return {
            parentRef,
            controllerName: CONTROLLER,
            conditions: [
              condition(route, 'Accepted', taken, taken ? 'Accepted' : 'NoMatchingParent'),
              condition(route, 'ResolvedRefs', true, 'ResolvedRefs'),
            ],
          };
        }),
      },
      skip: ours.length === 0,
    };
  });

  return [...ingresses, ...gateways, ...routes.filter(({ skip }) => !skip)]
    .filter(({ of, status }) => !isDeepStrictEqual(sorted(of.status), sorted(status)))
    .map(({ path, status }) => ({ path, status }));
}

/** Plain data with every object's keys in order, to compare what the API server gives back. */
function sorted(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null), (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
