/** What to do about a pod that no node takes, and about a claim without a volume, by the cluster's own sentences. Pure. */

/** Provisioner of a storage class whose volumes are created by hand, or by a program outside the cluster. */
const BY_HAND =
  'make a PersistentVolume of this class that is large enough, or name a class with a provisioner as storageClass in the values';

/** Remedies for the reasons of the scheduler, which are in one sentence for all nodes. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/Insufficient |Too many pods/, 'ask for less CPU or memory, or add a node'],
  [
    /unbound immediate PersistentVolumeClaims|persistent volumes to bind/,
    `if the storage class of its claim makes no volumes by itself, ${BY_HAND}`,
  ],
  [/persistentvolumeclaim "[^"]*" not found/, 'make the claim that the values name, or correct it'],
  [/volume node affinity conflict/, 'make room on the node that has its volume'],
  [
    /taint \{node\.kubernetes\.io\/(unreachable|not-ready)/,
    'bring back the node that does not answer (kubectl get nodes), or add one',
  ],
  [
    /taint(?!s? \{node\.kubernetes\.io\/(unreachable|not-ready))/,
    'give the pods a toleration in the values, or take the taint off a node',
  ],
  [/were unschedulable/, 'kubectl uncordon a node, or add one'],
  [
    /node affinity\/selector/,
    'correct nodeSelector or affinity in the values, or label a node as they ask',
  ],
];
const ANYTHING = 'kubectl describe pod says more';

export function noNodeText(said = ''): string {
  if (said === '') return `no node can take it, and the scheduler gives no reason: ${ANYTHING}`;
  const remedies = REMEDIES.flatMap(([pattern, remedy]) => (pattern.test(said) ? [remedy] : []));
  const what = isOfVolume(said) ? 'it waits for its volume' : 'no node can take it';
  return `${what}: ${said}; ${remedies.join('; ') || ANYTHING}`;
}

export const isOfVolume = (said: string): boolean =>
  /PersistentVolumeClaims|persistent volumes/.test(said);

/** Null for events that say nothing of a volume that is missing. */
export function claimText(reason: string, message: string): string | null {
  if (reason === 'FailedBinding') {
    return `the claim has no storage class, and no PersistentVolume fits it (${message}): name a class as storageClass in the values, or make such a volume`;
  }
  if (reason !== 'ProvisioningFailed') return null;
  if (/no-provisioner/.test(message)) {
    return `the claim waits for a volume that is made by hand, because its storage class has no provisioner: ${BY_HAND}`;
  }
  const absent = /storageclass\.storage\.k8s\.io "([^"]+)" not found/.exec(message)?.[1];
  if (absent !== undefined) {
    return `the claim names the storage class ${absent}, which the cluster does not have: name one that kubectl get storageclass lists`;
  }
  return `the provisioner of its storage class makes no volume for the claim (${message}): correct what it says, or name another class as storageClass in the values`;
}
