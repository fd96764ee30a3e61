/** What deploying will make in a namespace that others use too. Pure. */
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../api/api-types';
import type { Rendered } from './helm';
import { claimsOf, type Plan, type Planned } from '../objects/made';

/** `beside`: what the command itself applies. */
export function planOf(
  { release, namespace }: { release: string; namespace: string },
  { manifest, hooks }: Rendered,
  beside: readonly KubernetesObject[],
): Plan {
  const parts = objectsIn(manifest);
  const planned =
    (isHook: boolean) =>
    ({ apiVersion = 'v1', kind = '', metadata }: KubernetesObject): Planned => ({
      ...{ apiVersion, kind, isHook },
      ...{ namespace: metadata?.namespace ?? namespace, name: metadata?.name ?? '' },
    });
  return {
    release,
    objects: [
      ...[...parts, ...beside].map(planned(false)),
      ...hooks.flatMap(objectsIn).map(planned(true)),
    ],
    claims: [...parts, ...beside].flatMap(claimsOf),
  };
}

const objectsIn = (manifest: string): KubernetesObject[] =>
  parseAllDocuments(manifest).flatMap((document) => {
    const object = document.toJS() as (KubernetesObject & { items?: KubernetesObject[] }) | null;
    if (object?.kind === undefined) return [];
    return object.kind === 'List' ? (object.items ?? []) : [object];
  });
