/** Asks the cluster for the way by which users come to n8n. */
import type { Cluster } from '../api/api';
import type { V1Service } from '../api/api-types';
import { releaseSelector } from '../objects/labels';
import type { KubernetesOptions } from './options';
import { urlOf } from './release';
import {
  routeTo,
  throughGateway,
  throughIngress,
  type Gateway,
  type HttpRoute,
  type EntryPoint,
} from './ingress';

const GATEWAY_API = { group: 'gateway.networking.k8s.io', version: 'v1' };

export async function resolveEntryPoint(
  cluster: Cluster,
  options: Pick<KubernetesOptions, 'via' | 'viaAddress' | 'confirmAddress'>,
  release: string,
  namespace: string,
  service: V1Service,
): Promise<EntryPoint> {
  if (options.via === 'service') return { baseUrl: urlOf(service), hosts: {} };
  const name = service.metadata?.name ?? '';
  const ofRelease = { namespace, labelSelector: releaseSelector(release) };
  const found = await publicWay(cluster, options, ofRelease, name);
  await options.confirmAddress(found);
  return found;
}

async function publicWay(
  cluster: Cluster,
  { via, viaAddress }: Pick<KubernetesOptions, 'via' | 'viaAddress'>,
  ofRelease: { namespace: string; labelSelector: string },
  name: string,
): Promise<EntryPoint> {
  if (via === 'ingress') {
    const { items } = await cluster.doing('reading the Ingresses', () =>
      cluster.networking.listNamespacedIngress(ofRelease),
    );
    return throughIngress(items, name, viaAddress);
  }
  const routes = await cluster.doing('reading the HTTPRoutes', () =>
    cluster.custom.listNamespacedCustomObject({
      ...GATEWAY_API,
      ...ofRelease,
      plural: 'httproutes',
    }),
  );
  const route = routeTo((routes as { items: HttpRoute[] }).items, name);
  const parent = route.spec?.parentRefs?.[0];
  const gateway = await cluster.doing(`reading the Gateway ${parent?.name ?? ''}`, () =>
    cluster.custom.getNamespacedCustomObject({
      ...GATEWAY_API,
      namespace: parent?.namespace ?? ofRelease.namespace,
      plural: 'gateways',
      name: parent?.name ?? '',
    }),
  );
  return throughGateway(route, gateway as Gateway, viaAddress);
}
