// What must hold of every rendering, whatever the values: each rule gives sentences about what is wrong.
import type { Manifest } from './helm.ts';
import { containersOf, podTemplates, type PodTemplate } from './pods.ts';

type Labels = Record<string, string>;

export function violations(manifests: Manifest[], givenByUser: string[] = []): string[] {
  const pods = podTemplates(manifests);
  return [
    ...duplicateObjects(manifests),
    ...duplicateEnvNames(pods),
    ...replicasBesideAnAutoscaler(manifests),
    ...selectorsWithoutPods(manifests, pods),
    ...missingReferences(manifests, pods, new Set(givenByUser)),
    ...unmountedVolumes(pods),
    ...scriptsOutOfReach(pods),
    ...killedBeforeTheEnd(pods),
    ...budgetsThatBlock(manifests),
    ...scalersOfAnotherQueue(manifests, pods),
    ...routesToNowhere(manifests),
    ...unrestrictedContainers(pods),
    ...imagesWithoutRegistry(pods),
  ];
}

/** Containers that the random values bring along. */
const OF_USERS = ['wait', 'side'];

/** CRI-O refuses a name without a registry. */
function imagesWithoutRegistry(pods: PodTemplate[]): string[] {
  return pods.flatMap((pod) =>
    containersOf(pod)
      .filter(({ name }) => !OF_USERS.includes(name))
      .filter(({ image }) => !/^[^/]*[.:][^/]*\//.test(image))
      .map(({ name, image }) => `${label(pod.owner)}, container ${name}: ${image} has no registry`),
  );
}

const label = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

function duplicateObjects(manifests: Manifest[]): string[] {
  const seen = new Set<string>();
  return manifests
    .map(label)
    .filter((name) => seen.size === seen.add(name).size)
    .map((name) => `${name} is there twice`);
}

function duplicateEnvNames(pods: PodTemplate[]): string[] {
  return pods.flatMap((pod) =>
    containersOf(pod).flatMap(({ name, env = [] }) => {
      const names = env.map((entry) => entry.name);
      return names
        .filter((entry, index) => names.indexOf(entry) !== index)
        .map((entry) => `${label(pod.owner)}, container ${name}: ${entry} is set twice`);
    }),
  );
}

function replicasBesideAnAutoscaler(manifests: Manifest[]): string[] {
  const scaled = manifests
    .filter(({ kind }) => kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject')
    .map((scaler) => (scaler['spec'] as { scaleTargetRef: { name: string } }).scaleTargetRef.name);
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  return [
    ...deployments
      .filter(
        (deployment) =>
          scaled.includes(deployment.metadata.name) && 'replicas' in (deployment['spec'] as object),
      )
      .map((deployment) => `${label(deployment)} has replicas beside its autoscaler`),
    ...deployments
      .filter(
        (deployment) =>
          !scaled.includes(deployment.metadata.name) &&
          !('replicas' in (deployment['spec'] as object)),
      )
      .map((deployment) => `${label(deployment)} has neither replicas nor an autoscaler`),
    ...scaled
      .filter((name, index) => scaled.indexOf(name) !== index)
      .map((name) => `${name} has two autoscalers`),
    ...scaled
      .filter((name) => !deployments.some(({ metadata }) => metadata.name === name))
      .map((name) => `an autoscaler scales ${name}, which is not there`),
  ];
}

function matches(labels: Labels, selector: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

function selectorOf(manifest: Manifest): Labels | null {
  const spec = manifest['spec'] as Record<string, unknown>;
  if (manifest.kind === 'Service') return spec['selector'] as Labels;
  if (['Deployment', 'StatefulSet', 'PodDisruptionBudget'].includes(manifest.kind)) {
    return (spec['selector'] as { matchLabels: Labels }).matchLabels;
  }
  if (manifest.kind === 'NetworkPolicy')
    return (spec['podSelector'] as { matchLabels: Labels }).matchLabels;
  return null;
}

function selectorsWithoutPods(manifests: Manifest[], pods: PodTemplate[]): string[] {
  return manifests.flatMap((manifest) => {
    const selector = selectorOf(manifest);
    if (selector === null) return [];
    const owners = pods
      .filter(({ labels }) => matches(labels, selector))
      .map(({ owner }) => label(owner));
    if (owners.length === 0) return [`${label(manifest)} selects no pod`];
    if (owners.length > 1)
      return [`${label(manifest)} selects the pods of ${owners.join(' and ')}`];
    const owns = manifest.kind === 'Deployment' || manifest.kind === 'StatefulSet';
    return owns && owners[0] !== label(manifest)
      ? [`${label(manifest)} does not select its own pods`]
      : [];
  });
}

/** Secrets that the job makes in the cluster, as `Secret name/key`. */
function madeSecrets(pods: PodTemplate[]): string[] {
  return pods
    .flatMap(containersOf)
    .filter(({ name }) => name === 'make-secrets')
    .flatMap(
      ({ env = [] }) =>
        JSON.parse(env.find(({ name }) => name === 'SECRETS')?.value ?? '[]') as {
          name: string;
          key: string;
        }[],
    )
    .map(({ name, key }) => `Secret ${name}/${key}`);
}

/** What is optional may be missing. */
function keyOf(
  kind: string,
  ref: { name: string; key: string; optional?: boolean } | undefined,
): string[] {
  return ref === undefined || ref.optional === true ? [] : [`${kind} ${ref.name}/${ref.key}`];
}

/** What objects that are no pods name. */
function referencesOf({ kind, ...rest }: Manifest): string[] {
  if (kind === 'TriggerAuthentication') {
    const { secretTargetRef } = rest['spec'] as {
      secretTargetRef: { name: string; key: string }[];
    };
    return secretTargetRef.flatMap((ref) => keyOf('Secret', ref));
  }
  if (kind === 'ScaledObject') {
    const { triggers } = rest['spec'] as Scaler;
    return triggers.flatMap(({ authenticationRef }) =>
      authenticationRef ? [`TriggerAuthentication ${authenticationRef.name}`] : [],
    );
  }
  if (kind === 'RoleBinding') {
    const { roleRef, subjects } = rest as unknown as {
      roleRef: { name: string };
      subjects: { name: string }[];
    };
    return [`Role ${roleRef.name}`, ...subjects.map(({ name }) => `ServiceAccount ${name}`)];
  }
  return [];
}

function missingReferences(
  manifests: Manifest[],
  pods: PodTemplate[],
  givenByUser: Set<string>,
): string[] {
  const here = new Set([
    ...madeSecrets(pods),
    ...manifests.flatMap((manifest) => {
      const data = (manifest['data'] ?? {}) as Labels;
      return [label(manifest), ...Object.keys(data).map((key) => `${label(manifest)}/${key}`)];
    }),
  ]);
  const wanted = pods.flatMap((pod) => [
    ...(pod.spec.serviceAccountName === undefined
      ? []
      : [`ServiceAccount ${pod.spec.serviceAccountName}`]),
    ...(pod.spec.volumes ?? []).flatMap(({ configMap, secret, persistentVolumeClaim }) => [
      ...(secret ? [`Secret ${secret.secretName}`] : []),
      ...(configMap?.items ?? []).map(({ key }) => `ConfigMap ${configMap?.name ?? ''}/${key}`),
      ...(configMap && !configMap.items ? [`ConfigMap ${configMap.name}`] : []),
      ...(persistentVolumeClaim
        ? [`PersistentVolumeClaim ${persistentVolumeClaim.claimName}`]
        : []),
    ]),
    ...containersOf(pod).flatMap(({ env = [], envFrom = [] }) => [
      ...env.flatMap(({ valueFrom }) => [
        ...keyOf('Secret', valueFrom?.secretKeyRef),
        ...keyOf('ConfigMap', valueFrom?.configMapKeyRef),
      ]),
      ...envFrom.flatMap(({ secretRef, configMapRef }) => [
        ...(secretRef ? [`Secret ${secretRef.name}`] : []),
        ...(configMapRef ? [`ConfigMap ${configMapRef.name}`] : []),
      ]),
    ]),
  ]);
  wanted.push(...manifests.flatMap(referencesOf));
  return [...new Set(wanted)]
    .filter(
      (reference) =>
        !here.has(reference) &&
        !givenByUser.has(reference.replace(/^\S+ /, '').replace(/\/.*$/, '')),
    )
    .map((reference) => `${reference} is referenced and not there`);
}

function unmountedVolumes(pods: PodTemplate[]): string[] {
  return pods.flatMap((pod) => {
    const declared = (pod.spec.volumes ?? []).map(({ name }) => name);
    // The StatefulSets' own claims are volumes as well.
    const claims =
      (pod.owner['spec'] as { volumeClaimTemplates?: Manifest[] }).volumeClaimTemplates ?? [];
    const known = new Set([...declared, ...claims.map(({ metadata }) => metadata.name)]);
    const mounted = containersOf(pod).flatMap(({ volumeMounts = [] }) =>
      volumeMounts.map(({ name }) => name),
    );
    return [
      ...mounted
        .filter((name) => !known.has(name))
        .map((name) => `${label(pod.owner)} mounts ${name}, which is no volume`),
      ...[...known]
        .filter((name) => !mounted.includes(name))
        .map((name) => `${label(pod.owner)}: nobody mounts ${name}`),
      ...declared
        .filter((name, index) => declared.indexOf(name) !== index)
        .map((name) => `${label(pod.owner)} has volume ${name} twice`),
    ];
  });
}

/** Node.js does not start without a script that it is told to load, in an init container either. */
function scriptsOutOfReach(pods: PodTemplate[]): string[] {
  return pods.flatMap((pod) =>
    containersOf(pod).flatMap(({ name, env = [], volumeMounts = [] }) => {
      const options = env.find((entry) => entry.name === 'NODE_OPTIONS')?.value ?? '';
      return [...options.matchAll(/--require=(\/etc\/n8n-tuned\/\S+)\/\S+/g)]
        .filter(([, folder]) => !volumeMounts.some(({ mountPath }) => mountPath === folder))
        .map(([option]) => `${label(pod.owner)}, container ${name}: ${option} is not mounted`);
    }),
  );
}

/** n8n must have its whole limit, and a busy one some more, before Kubernetes kills it. */
function killedBeforeTheEnd(pods: PodTemplate[]): string[] {
  return pods.flatMap((pod) => {
    const n8n = pod.spec.containers.find(({ name }) => name === 'n8n');
    const limit = n8n?.env?.find(({ name }) => name === 'N8N_GRACEFUL_SHUTDOWN_TIMEOUT')?.value;
    if (limit === undefined || !/^\d+$/.test(limit)) return [];
    // `sleep 5`, or a shell that does it at the end.
    const pause = Number(n8n?.lifecycle?.preStop?.exec?.command.join(' ').split(' ').at(-1) ?? 0);
    const grace = pod.spec.terminationGracePeriodSeconds ?? 30;
    return grace > Number(limit) + pause + 10
      ? []
      : [`${label(pod.owner)} is killed after ${grace} s and may need ${limit} s after ${pause} s`];
  });
}

function budgetsThatBlock(manifests: Manifest[]): string[] {
  return manifests
    .filter(({ kind }) => kind === 'PodDisruptionBudget')
    .filter((budget) => {
      const { maxUnavailable } = budget['spec'] as { maxUnavailable?: number | string };
      return !(parseInt(String(maxUnavailable)) > 0);
    })
    .map((budget) => `${label(budget)} can block a drain`);
}

interface Scaler {
  scaleTargetRef: { name: string };
  triggers: { metadata: { listName?: string }; authenticationRef?: { name: string } }[];
}

/** KEDA must count the lists that the workers take from: n8n's prefix is in every name. */
function scalersOfAnotherQueue(manifests: Manifest[], pods: PodTemplate[]): string[] {
  return manifests.flatMap((manifest) => {
    if (manifest.kind !== 'ScaledObject') return [];
    const { scaleTargetRef, triggers } = manifest['spec'] as Scaler;
    const workers = pods.find(({ owner }) => owner.metadata.name === scaleTargetRef.name);
    const env = workers?.spec.containers.find(({ name }) => name === 'n8n')?.env ?? [];
    const prefix = env.find(({ name }) => name === 'QUEUE_BULL_PREFIX')?.value;
    // Without a value of its own n8n takes another place: a Secret, or its own default.
    if (prefix === undefined || prefix === '') return [];
    return triggers
      .filter(
        // Other triggers count no list.
        ({ metadata }) =>
          metadata.listName !== undefined &&
          !new RegExp(`^(${prefix}|\\{${prefix}\\}):jobs(-[a-z0-9-]+)?:(wait|active)$`).test(
            metadata.listName,
          ),
      )
      .map(({ metadata }) => `${label(manifest)} counts ${metadata.listName}, n8n uses ${prefix}`);
  });
}

function routesToNowhere(manifests: Manifest[]): string[] {
  const services = new Set(
    manifests.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name),
  );
  const targets = manifests
    .filter(({ kind }) => kind === 'Ingress' || kind === 'HTTPRoute')
    .flatMap((route) => [
      ...JSON.stringify(route['spec']).matchAll(
        /"(?:service":\{|backendRefs":\[\{)"name":"([^"]+)"/g,
      ),
    ])
    .map(([, name]) => name ?? '');
  return targets
    .filter((name) => !services.has(name))
    .map((name) => `a route leads to ${name}, which is no Service`);
}

function unrestrictedContainers(pods: PodTemplate[]): string[] {
  return pods.flatMap((pod) =>
    containersOf(pod).flatMap((container) => {
      const security = container.securityContext;
      const safe =
        security?.readOnlyRootFilesystem === true && security.allowPrivilegeEscalation === false;
      return safe ? [] : [`${label(pod.owner)}, container ${container.name} is not restricted`];
    }),
  );
}
