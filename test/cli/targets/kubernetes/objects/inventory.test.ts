// What a call removes of a namespace that others use too, on a cluster in memory that knows UIDs, owners and labels.
import fc from 'fast-check';
import type { KubernetesObject } from '../../../../../cli/src/targets/kubernetes/api/api-types';
import {
  everythingIn,
  planned,
  releaseObjects,
  removeMade,
  unsureOf,
  type Inventory,
} from '../../../../../cli/src/targets/kubernetes/objects/inventory';
import { inventoryIn, journalOf } from '../../../../../cli/src/targets/kubernetes/objects/journal';
import {
  labelsOf,
  MADE_BY,
  thisMaker,
} from '../../../../../cli/src/targets/kubernetes/objects/labels';
import {
  KINDS,
  lasting,
  type Made,
  type Plan,
} from '../../../../../cli/src/targets/kubernetes/objects/made';
import type { Objects } from '../../../../../cli/src/targets/kubernetes/objects/delete';

const CALL = 'abcd1234';
const RELEASE = 'n8n';
const SPACE = 'load';
const BEGUN_MS = Date.parse('2026-11-01T12:00:00Z');

/** A cluster in memory: what is removed takes with it what it owns. */
class Memory implements Objects {
  readonly removed: string[] = [];
  private count = 0;

  constructor(readonly all: KubernetesObject[] = []) {}

  put(object: KubernetesObject, atMs = BEGUN_MS + 1000): KubernetesObject {
    const made = {
      ...object,
      metadata: {
        namespace: SPACE,
        ...object.metadata,
        uid: `uid-${String(++this.count)}`,
        creationTimestamp: new Date(atMs),
      },
    };
    this.all.push(made);
    return made;
  }

  list: Objects['list'] = ({ kind }, namespace, selector = '') => {
    const wanted = selector === '' ? [] : selector.split(',').map((one) => one.split('='));
    return Promise.resolve(
      this.all.filter(
        ({ kind: its, metadata }) =>
          its === kind &&
          metadata?.namespace === namespace &&
          wanted.every(([key = '', value]) => metadata.labels?.[key] === value),
      ),
    );
  };

  read: Objects['read'] = ({ kind, namespace, name }) =>
    Promise.resolve(
      this.all.find(
        (one) =>
          one.kind === kind &&
          one.metadata?.name === name &&
          (one.metadata.namespace === namespace || one.metadata.namespace === undefined),
      ) ?? null,
    );

  remove: Objects['remove'] = ({ uid }) => {
    const gone = [uid];
    for (const owner of gone) {
      for (let at = this.all.length - 1; at >= 0; at--) {
        const metadata = this.all[at]?.metadata;
        const isIt = metadata?.uid === owner;
        const isIts = metadata?.ownerReferences?.some((reference) => reference.uid === owner);
        if (!isIt && isIts !== true) continue;
        if (isIts === true) gone.push(metadata?.uid ?? '');
        this.removed.push(metadata?.uid ?? '');
        this.all.splice(at, 1);
      }
    }
    return Promise.resolve();
  };
}

const object = (
  kind: string,
  name: string,
  labels: Record<string, string> = {},
  annotations: Record<string, string> = {},
): KubernetesObject => ({
  apiVersion: KINDS.find((one) => one.kind === kind)?.apiVersion ?? 'v1',
  kind,
  metadata: { name, labels, annotations },
});

const owned = (kind: string, name: string, owner: KubernetesObject): KubernetesObject => {
  const { apiVersion = '', kind: its = '', metadata } = owner;
  const { name: called = '', uid = '' } = metadata ?? {};
  const reference = { apiVersion, kind: its, name: called, uid, controller: true };
  return { ...object(kind, name), metadata: { name, ownerReferences: [reference] } };
};

const set = (name: string, labels: Record<string, string>): KubernetesObject =>
  ({
    ...object('StatefulSet', name, labels),
    spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
  }) as KubernetesObject;

const mine = { 'n8n-tuned/call': CALL };
const instance = { 'app.kubernetes.io/instance': RELEASE };
const helms = { 'meta.helm.sh/release-name': RELEASE, 'meta.helm.sh/release-namespace': SPACE };

/** Everything that a call makes with our chart, and with one that does not put labels on its objects. */
function deployed(memory: Memory): { plan: Plan; own: KubernetesObject[] } {
  const plan: Plan = {
    release: RELEASE,
    objects: [
      ...['Deployment', 'Service', 'ConfigMap', 'StatefulSet', 'Secret'].map((kind) => ({
        ...{ apiVersion: object(kind, '').apiVersion ?? '', kind, namespace: SPACE },
        ...{ name: 'other-chart', isHook: false },
      })),
      { apiVersion: 'batch/v1', kind: 'Job', namespace: SPACE, name: 'hook', isHook: true },
    ],
    claims: ['data-other-chart-', `data-n8n-${CALL}-redis-`],
  };
  const put = (one: KubernetesObject): KubernetesObject => memory.put(one);
  const record = put(
    object('Secret', `sh.helm.release.v1.${RELEASE}.v1`, {
      ...mine,
      ...{ owner: 'helm', name: RELEASE },
    }),
  );
  const labelled = KINDS.map(({ kind }) => put(object(kind, `ours-${kind}`, mine)));
  const helm = ['Deployment', 'Service', 'ConfigMap', 'Secret'].map((kind) =>
    put(object(kind, 'other-chart', instance, helms)),
  );
  const stateful = put({
    ...set('other-chart', instance),
    metadata: { name: 'other-chart', labels: instance, annotations: helms },
  });
  const ours = put(set('postgresql', mine));
  const replicas = put(owned('ReplicaSet', 'other-chart-1', helm[0] ?? record));
  return {
    plan,
    own: [
      ...[record, ...labelled, ...helm, stateful, ours, replicas],
      put(owned('Pod', 'other-chart-1-x', replicas)),
      put(owned('Pod', 'other-chart-0', stateful)),
      put(object('PersistentVolumeClaim', 'data-other-chart-0', instance)),
      put(object('PersistentVolumeClaim', 'data-postgresql-1', instance)),
      put(object('Job', 'hook', instance, { 'helm.sh/hook': 'pre-install' })),
      // It is of a StatefulSet that somebody has removed by hand.
      put(object('PersistentVolumeClaim', `data-n8n-${CALL}-redis-0`, instance)),
    ],
  };
}

const beginning = (memory: Memory, plan: Plan): Inventory => {
  const journal = memory.put(journalOf(CALL, SPACE, plan), BEGUN_MS);
  const inventory = inventoryIn(journal);
  if (inventory === null) throw new Error('the journal is not read back');
  return inventory;
};

const still = (): void => undefined;
const kept: Made[] = [];
const keep = (made: Made[]): Promise<void> => {
  kept.splice(0, kept.length, ...made);
  return Promise.resolve();
};

const uidsOf = (objects: readonly KubernetesObject[]): string[] =>
  objects.map(({ metadata }) => metadata?.uid ?? '').sort();

/** With any of the labels that our objects have but that of the call, and by any hand. */
const stranger = fc.record({
  kind: fc.constantFrom(...KINDS.map(({ kind }) => kind)),
  // Some have names of a StatefulSet's claims, of planned objects, of our generator.
  name: fc.constantFrom(
    ...['n8n', 'other', 'data-others-0', 'data-other-chart-x', 'n8n-tuned-generator-ffff0000'],
    ...['sh.helm.release.v1.n8n.v1', 'sh.helm.release.v1.n8n.v2', 'n8n-upstream', 'postgresql'],
  ),
  labels: fc
    .subarray([
      ...Object.entries(labelsOf('ffff0000')),
      ...Object.entries({ ...instance, 'app.kubernetes.io/component': 'generator' }),
      ...Object.entries({ owner: 'helm', name: RELEASE }),
    ])
    .map((entries) => Object.fromEntries(entries)),
  annotations: fc
    .subarray([
      ...Object.entries({ ...helms, 'helm.sh/hook': 'pre-install', [MADE_BY]: thisMaker() }),
    ])
    .map((entries) => Object.fromEntries(entries)),
  afterMs: fc.constantFrom(-3_600_000, -1000, 0, 5000),
});

test('everything that a call made goes, and nothing of anybody else, whatever labels it has', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(stranger, { maxLength: 12 }),
      fc.boolean(),
      async (others, isSeen) => {
        const memory = new Memory();
        const foreign = others.map(({ kind, name, labels, annotations, afterMs }, index) =>
          memory.put(
            object(kind, `${name}${index === 0 ? '' : `-${String(index)}x`}`, labels, annotations),
            BEGUN_MS + afterMs,
          ),
        );
        const before = structuredClone(foreign);
        const { plan, own } = deployed(memory);
        const inventory = beginning(memory, plan);
        if (isSeen) await removeMade(new Memory([...memory.all]), inventory, keep, still);
        await removeMade(memory, { ...inventory, seen: isSeen ? lasting(kept) : [] }, keep, still);
        expect(uidsOf(memory.all)).toEqual(uidsOf(before));
        expect(memory.all).toEqual(expect.arrayContaining(before));
        expect(uidsOf(own).every((uid) => memory.removed.includes(uid))).toBe(true);
      },
    ),
  );
});

test('what somebody has put in the place of an object of the call stays, with all its labels', async () => {
  const memory = new Memory();
  const { plan } = deployed(memory);
  const inventory = beginning(memory, plan);
  await removeMade(new Memory([...memory.all]), inventory, keep, still);
  const seen = lasting(kept);
  const replaced = ['ours-ConfigMap', 'other-chart', 'data-postgresql-1'].map((name) => {
    const at = memory.all.findIndex(
      ({ metadata, kind }) =>
        metadata?.name === name &&
        ['ConfigMap', 'Service', 'PersistentVolumeClaim'].includes(kind ?? ''),
    );
    const [one] = memory.all.splice(at, 1);
    return memory.put(one ?? {});
  });
  await removeMade(memory, { ...inventory, seen }, keep, still);
  expect(uidsOf(memory.all)).toEqual(uidsOf(replaced));
});

test('a release of the same name that came after the one of the call stays, and is named', async () => {
  const memory = new Memory();
  const inventory = beginning(memory, deployed(new Memory()).plan);
  // The user has removed the release of a killed call by hand, and has installed another.
  const record = object('Secret', `sh.helm.release.v1.${RELEASE}.v1`, {
    ...{ owner: 'helm', name: RELEASE },
  });
  const later = [
    record,
    object('Deployment', 'other-chart', instance, helms),
    object('PersistentVolumeClaim', 'data-other-chart-0', instance),
    object('Job', 'hook', instance, { 'helm.sh/hook': 'pre-install' }),
  ].map((one) => memory.put(one, BEGUN_MS + 60_000));
  await removeMade(memory, inventory, keep, still);
  expect(uidsOf(memory.all)).toEqual(uidsOf(later));
  expect((await unsureOf(memory, inventory)).map(({ kind }) => kind).sort()).toEqual([
    'Deployment',
    'Job',
    'PersistentVolumeClaim',
  ]);
});

test('what a pod writes while it ends goes too', async () => {
  const memory = new Memory();
  const inventory = beginning(memory, deployed(memory).plan);
  const remove = memory.remove;
  memory.remove = async (made, grace) => {
    await remove(made, grace);
    if (made.kind === 'Job') memory.put(object('Secret', 'n8n-encryption-key', mine));
  };
  await removeMade(memory, inventory, keep, still);
  expect(memory.all).toEqual([]);
});

test('a removal that is ended in the middle is completed by the next', async () => {
  for (let atMost = 1; atMost < 40; atMost++) {
    const memory = new Memory();
    const inventory = beginning(memory, deployed(memory).plan);
    const remove = memory.remove;
    let left = atMost;
    memory.remove = (made, grace) =>
      left-- > 0 ? remove(made, grace) : Promise.reject(new Error('killed'));
    const noted: Made[] = [];
    const note = (made: Made[]): Promise<void> => {
      noted.push(...lasting(made));
      return Promise.resolve();
    };
    const ended = await removeMade(memory, inventory, note, still).catch(() => 'killed');
    memory.remove = remove;
    if (ended === 'killed') {
      expect(memory.all.some(({ metadata }) => metadata?.name === `n8n-tuned-${CALL}`)).toBe(true);
    }
    await removeMade(memory, { ...inventory, seen: noted }, note, still);
    expect(memory.all).toEqual([]);
  }
});

test.each(KINDS.map(({ kind }) => [kind]))(
  'a %s with the label of the release is found, whoever made it',
  async (kind) => {
    const memory = new Memory();
    memory.put(object(kind, 'theirs', instance), BEGUN_MS - 1000);
    memory.put(object(kind, 'of-another', { 'app.kubernetes.io/instance': 'other' }));
    expect(await releaseObjects(memory, SPACE, RELEASE)).toEqual({
      there: [expect.objectContaining({ kind, name: 'theirs' })],
      unseen: [],
    });
  },
);

test('what Helm keeps of a release counts as one, in Secrets and in ConfigMaps', async () => {
  for (const kind of ['Secret', 'ConfigMap']) {
    const memory = new Memory();
    memory.put(object(kind, 'record', { owner: 'helm', name: RELEASE }));
    expect((await releaseObjects(memory, SPACE, RELEASE)).there).toHaveLength(1);
    expect((await releaseObjects(memory, SPACE, 'another')).there).toHaveLength(0);
  }
});

test('a kind that may not be listed is said', async () => {
  const memory = new Memory();
  const list = memory.list;
  memory.list = (kind, ...rest) =>
    kind.kind === 'Ingress' ? Promise.resolve('forbidden') : list(kind, ...rest);
  expect(await releaseObjects(memory, SPACE, RELEASE)).toEqual({ there: [], unseen: ['Ingress'] });
});

test('what has a planned name is there already, and so is a claim that a StatefulSet would take', async () => {
  const memory = new Memory();
  const { plan } = deployed(new Memory());
  expect(await planned(memory, SPACE, plan)).toEqual([]);
  memory.put(object('Service', 'other-chart'));
  memory.put(object('PersistentVolumeClaim', 'data-other-chart-12'));
  memory.put(object('PersistentVolumeClaim', 'data-other-chart-x'));
  expect((await planned(memory, SPACE, plan)).map(({ name }) => name)).toEqual([
    'other-chart',
    'data-other-chart-12',
  ]);
});

test('a namespace is empty when it has only what Kubernetes puts there', async () => {
  const memory = new Memory();
  memory.put(object('ServiceAccount', 'default'));
  memory.put(object('ConfigMap', 'kube-root-ca.crt'));
  expect(await everythingIn(memory, SPACE)).toEqual([]);
  memory.put(object('Secret', 'theirs'));
  expect((await everythingIn(memory, SPACE)).map(({ name }) => name)).toEqual(['theirs']);
});

test('a ConfigMap that only looks like a journal is none', () => {
  const journal = journalOf(CALL, SPACE, { release: null, objects: [], claims: [] });
  const metadata = { ...journal.metadata, creationTimestamp: new Date(BEGUN_MS) };
  expect(inventoryIn({ ...journal, metadata })).toMatchObject({ call: CALL, sinceMs: BEGUN_MS });
  for (const other of [
    journal,
    { ...journal, metadata: { ...metadata, name: 'something' } },
    { ...journal, metadata: { ...metadata, labels: {} } },
    { ...journal, metadata, data: {} },
    { ...journal, metadata, data: { plan: '{}', seen: '[]' } },
    { ...journal, metadata, data: { plan: 'x', seen: '[]' } },
  ]) {
    expect(inventoryIn(other)).toBeNull();
  }
});
