/** What to do about a pod that no node takes, and about a claim without a volume, by the cluster's own sentences. Pure. */

/** Provisioner of a storage class whose volumes are created by hand, or by a program outside the cluster. */
const BY_HAND =
  'create a large enough PersistentVolume of this class, or set storageClass in the values to a class with a provisioner';

/** Remedies for the reasons of the scheduler, which are in one sentence for all nodes. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/Insufficient |Too many pods/, 'request less CPU or memory, or add a node'],
  [
    /unbound immediate PersistentVolumeClaims|persistent volumes to bind/,
    `if the claim's storage class does not create volumes automatically, ${BY_HAND}`,
  ],
  [
    /persistentvolumeclaim "[^"]*" not found/,
    'create the claim that the values name, or correct its name in the values',
  ],
  [/volume node affinity conflict/, 'free up resources on the node that has the volume of the pod'],
  [
    /taint \{node\.kubernetes\.io\/(unreachable|not-ready)/,
    'restore the node that does not respond (kubectl get nodes), or add a node',
  ],
  [
    /taint(?!s? \{node\.kubernetes\.io\/(unreachable|not-ready))/,
    'add a toleration to the pods in the values, or remove the taint from a node',
  ],
  [/were unschedulable/, 'uncordon a node (kubectl uncordon), or add a node'],
  [
    /node affinity\/selector/,
    'correct nodeSelector or affinity in the values, or label a node accordingly',
  ],
];
const ANYTHING = 'kubectl describe pod shows the details';

export function noNodeText(said = ''): string {
  if (said === '') return `no node can run it, and the scheduler gives no reason: ${ANYTHING}`;
  const remedies = REMEDIES.flatMap(([pattern, remedy]) => (pattern.test(said) ? [remedy] : []));
  const what = isOfVolume(said) ? 'it is waiting for its volume' : 'no node can run it';
  return `${what}: ${said}; ${remedies.join('; ') || ANYTHING}`;
}

export const isOfVolume = (said: string): boolean =>
  /PersistentVolumeClaims|persistent volumes/.test(said);

/** Null for events that say nothing of a volume that is missing. */
export function claimText(reason: string, message: string): string | null {
  if (reason === 'FailedBinding') {
    return `the claim has no storage class, and no PersistentVolume fits it (${message}): set storageClass in the values, or create such a volume`;
  }
  if (reason !== 'ProvisioningFailed') return null;
  if (/no-provisioner/.test(message)) {
    return `the claim needs a volume that you create yourself, because its storage class has no provisioner: ${BY_HAND}`;
  }
  const absent = /storageclass\.storage\.k8s\.io "([^"]+)" not found/.exec(message)?.[1];
  if (absent !== undefined) {
    return `the claim uses the storage class ${absent}, which does not exist in the cluster: choose one from kubectl get storageclass`;
  }
  return `the provisioner of its storage class creates no volume for the claim (${message}): fix this problem, or set storageClass in the values to another class`;
}
