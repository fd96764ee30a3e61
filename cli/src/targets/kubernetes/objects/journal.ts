/** What a call makes in a namespace that others use too, written there before anything is made: a killed call is cleaned by it. */
import { z } from 'zod';
import { Failure } from '../../../ui/exit';
import type { Progress } from '../../../ui/progress';
import type { Cluster } from '../api/api';
import type { V1ConfigMap } from '../api/api-types';
import { foundOf, removeMade, unsureOf, type Inventory } from './inventory';
import { CALL, journalName, labelsOf, MADE_BY, thisMaker } from './labels';
import { lasting, textOf, type Made, type ObjectName, type Plan } from './made';
import { objectsOf, type Objects } from './delete';
import { listed } from './run-namespace';

const name = { apiVersion: z.string(), kind: z.string(), namespace: z.string(), name: z.string() };
const planSchema = z.object({
  release: z.string().nullable(),
  objects: z.array(z.object({ ...name, isHook: z.boolean() })),
  claims: z.array(z.string()),
});
const seenSchema = z.array(z.object({ ...name, uid: z.string() }));

/** Pure. */
export const journalOf = (call: string, namespace: string, plan: Plan): V1ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    ...{ name: journalName(call), namespace, labels: labelsOf(call) },
    annotations: { [MADE_BY]: thisMaker() },
  },
  data: { plan: JSON.stringify(plan), seen: '[]' },
});

/** Null for a ConfigMap that is none, whatever its labels say. Pure. */
export function inventoryIn({ metadata, data }: V1ConfigMap): Inventory | null {
  const call = metadata?.labels?.[CALL] ?? '';
  const at = metadata?.creationTimestamp;
  if (call === '' || metadata?.name !== journalName(call) || at === undefined) return null;
  try {
    return {
      ...{ call, namespace: metadata.namespace ?? '' },
      sinceMs: new Date(at).getTime(),
      plan: planSchema.parse(JSON.parse(data?.['plan'] ?? '')),
      seen: seenSchema.parse(JSON.parse(data?.['seen'] ?? '')),
    };
  } catch {
    return null;
  }
}

export class Journal {
  private readonly objects: Objects;

  private constructor(
    private readonly cluster: Cluster,
    private inventory: Inventory,
  ) {
    this.objects = objectsOf(cluster);
  }

  static async begin(
    cluster: Cluster,
    { call, namespace, plan }: { call: string; namespace: string; plan: Plan },
  ): Promise<Journal> {
    const written = await cluster.doing('recording what will be created', () =>
      cluster.core.createNamespacedConfigMap({ namespace, body: journalOf(call, namespace, plan) }),
    );
    const inventory = inventoryIn(written);
    if (inventory === null)
      throw new Failure(
        'the cluster changed the ConfigMap in which the command lists what it creates: check the admission webhooks of the cluster.',
      );
    return new Journal(cluster, inventory);
  }

  static of(cluster: Cluster, inventory: Inventory): Journal {
    return new Journal(cluster, inventory);
  }

  /** Once all is made: what takes the place of one of these objects later is somebody else's. */
  async note(): Promise<void> {
    await this.keep(await foundOf(this.objects, this.inventory));
  }

  /** Returns what may have been made by the call, and is left alone because nobody can tell. */
  async remove(progress: Progress): Promise<ObjectName[]> {
    await removeMade(this.objects, this.inventory, (made) => this.keep(made), progress);
    return unsureOf(this.objects, this.inventory);
  }

  private async keep(made: readonly Made[]): Promise<void> {
    const { call, namespace, seen } = this.inventory;
    const known = new Set(seen.map(({ uid }) => uid));
    const added = lasting(made).filter(({ uid }) => !known.has(uid));
    if (added.length === 0) return;
    this.inventory = { ...this.inventory, seen: [...seen, ...added] };
    await this.cluster.found('recording what was created', () =>
      this.cluster.objects.patch(
        {
          ...{ apiVersion: 'v1', kind: 'ConfigMap' },
          metadata: { name: journalName(call), namespace },
          data: { seen: JSON.stringify(this.inventory.seen) },
        } as V1ConfigMap,
        ...([undefined, undefined, undefined, undefined, 'application/merge-patch+json'] as const),
      ),
    );
  }
}

export const unsureText = (namespace: string, unsure: readonly ObjectName[]): string =>
  `these objects were not removed from the namespace ${namespace}, because it is unknown whether the command created them: ${listed(unsure.map(textOf))}.`;
