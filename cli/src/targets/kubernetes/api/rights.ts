/** Every right that the command uses in a cluster, and what for. Pure; docs/kubernetes.md is held equal to it by a test. */

export interface Right {
  /** `load`: to load what is there; `deploy`: to deploy the chart as well; `drill`: what single drills need beyond both; `space`: to have a namespace of its own; `via`: to come through an Ingress or a Gateway. */
  part: 'load' | 'deploy' | 'drill' | 'space' | 'via';
  group: string;
  /** With its part after a slash, such as pods/exec. */
  resource: string;
  verbs: readonly string[];
  why: string;
}

const OWNED = ['get', 'list', 'create', 'update', 'patch', 'delete'] as const;

export const RIGHTS: readonly Right[] = [
  {
    ...{ part: 'load', group: '', resource: 'namespaces', verbs: ['get'] },
    why: 'to check whether the namespace exists',
  },
  {
    ...{ part: 'load', group: '', resource: 'pods', verbs: ['get', 'list'] },
    why: 'to see restarts, OOM kills and why a pod does not start',
  },
  {
    ...{ part: 'load', group: '', resource: 'pods/exec', verbs: ['get', 'create'] },
    why: 'to run k6, to read the resource usage of its pod and the n8n pods, and to query the database',
  },
  {
    ...{ part: 'load', group: '', resource: 'pods/log', verbs: ['get'] },
    why: 'to save the n8n logs next to the record; optional',
  },
  {
    ...{ part: 'load', group: '', resource: 'pods/proxy', verbs: ['get'] },
    why: "to read n8n's metrics",
  },
  {
    ...{ part: 'load', group: '', resource: 'services', verbs: ['list'] },
    why: 'to find the address of the webhooks',
  },
  {
    ...{ part: 'load', group: '', resource: 'events', verbs: ['list'] },
    why: 'to explain failures',
  },
  {
    ...{ part: 'load', group: '', resource: 'secrets', verbs: ['get', 'list'] },
    why: 'to read the values of a release, which Helm stores in a Secret',
  },
  {
    ...{ part: 'load', group: '', resource: 'configmaps' },
    verbs: ['get', 'list', 'create', 'patch', 'delete'],
    why: 'the scripts of the load generator, and the list of created objects',
  },
  {
    ...{ part: 'load', group: 'batch', resource: 'jobs' },
    verbs: ['get', 'list', 'create', 'delete'],
    why: 'the load generator',
  },
  {
    ...{ part: 'deploy', group: '', resource: 'pods', verbs: ['delete'] },
    why: 'to remove pods without waiting for responses that are no longer needed',
  },
  ...['configmaps', 'secrets', 'services', 'serviceaccounts', 'persistentvolumeclaims'].map(
    (resource): Right => ({
      ...{ part: 'deploy', group: '', resource, verbs: OWNED },
      why: 'part of the chart',
    }),
  ),
  ...['deployments', 'statefulsets'].map((resource): Right => ({
    ...{ part: 'deploy', group: 'apps', resource, verbs: OWNED },
    why: 'part of the chart',
  })),
  {
    ...{ part: 'deploy', group: 'batch', resource: 'jobs', verbs: [...OWNED, 'watch'] },
    why: 'part of the chart: the job that creates the keys',
  },
  {
    ...{ part: 'deploy', group: 'networking.k8s.io', resource: 'networkpolicies', verbs: OWNED },
    why: 'part of the chart',
  },
  {
    ...{ part: 'deploy', group: 'policy', resource: 'poddisruptionbudgets', verbs: OWNED },
    why: 'part of the chart',
  },
  ...['roles', 'rolebindings'].map((resource): Right => ({
    ...{ part: 'deploy', group: 'rbac.authorization.k8s.io', resource, verbs: OWNED },
    why: 'part of the chart, used by the job that creates the keys',
  })),
  ...(
    [
      ['apps', 'daemonsets'],
      ['apps', 'replicasets'],
      ['autoscaling', 'horizontalpodautoscalers'],
      ['batch', 'cronjobs'],
      ['networking.k8s.io', 'ingresses'],
    ] as const
  ).map(([group, resource]): Right => ({
    ...{ part: 'deploy', group, resource, verbs: ['list'] },
    why: 'to check whether another n8n instance uses the same name',
  })),
  {
    ...{ part: 'drill', group: '', resource: 'pods', verbs: ['patch', 'delete'] },
    why: 'for the redis-loses-data drill; for the scale-in and crash-across-a-schedule drills, to choose the pod to remove',
  },
  {
    ...{ part: 'drill', group: '', resource: 'pods/eviction', verbs: ['create'] },
    why: 'for the drain-node drill',
  },
  {
    ...{ part: 'space', group: '', resource: 'namespaces', verbs: ['list', 'create', 'delete'] },
    why: 'to create a new namespace, and to remove namespaces left by earlier commands',
  },
  {
    ...{ part: 'space', group: '', resource: 'pods', verbs: ['deletecollection'] },
    why: 'so that removing a new namespace does not wait for responses that are no longer needed',
  },
  {
    ...{ part: 'via', group: 'networking.k8s.io', resource: 'ingresses', verbs: OWNED },
    why: 'part of the chart, and the entry point of users',
  },
  {
    ...{ part: 'via', group: 'gateway.networking.k8s.io', resource: 'httproutes', verbs: OWNED },
    why: 'part of the chart, and the entry point of users',
  },
  {
    ...{ part: 'via', group: 'gateway.networking.k8s.io', resource: 'gateways', verbs: ['get'] },
    why: 'the entry point of users',
  },
];

/** One line of it: what may be asked of the API server. */
export interface RightQuestion {
  right: Right;
  verb: string;
  /** Null: of the whole cluster. */
  namespace: string | null;
}

/** Without a namespace the command makes its own, in which the rights must hold too: so everywhere. */
export function questionsOf(how: 'deploy' | 'existing', namespace: string | null): RightQuestion[] {
  return RIGHTS.filter(({ part }) => {
    if (part === 'space') return namespace === null;
    // A load through the Service needs none of these.
    if (part === 'via') return false;
    return part === 'load' || how === 'deploy';
  }).flatMap((right) =>
    right.verbs.map((verb) => ({
      right,
      verb,
      namespace: right.part === 'space' ? null : namespace,
    })),
  );
}

export interface RightCheck {
  part: Right['part'];
  what: string;
  /** The verbs that are missing; empty is best. */
  missing: string[];
  why: string;
}

/** One line for each resource, in the order of the list. */
export function checksOf(
  answers: readonly (RightQuestion & { isAllowed: boolean })[],
): RightCheck[] {
  const checks = new Map<Right, RightCheck>();
  for (const { right, verb, isAllowed } of answers) {
    const check = checks.get(right) ?? {
      part: right.part,
      what: `${right.verbs.join(', ')} ${right.resource}${right.group === '' ? '' : `.${right.group}`}`,
      missing: [],
      why: right.why,
    };
    if (!isAllowed) check.missing.push(verb);
    checks.set(right, check);
  }
  return [...checks.values()];
}
