// Objects of somebody else in a namespace: one of every kind that the command makes, with its labels, and at rest.
import { hostname } from 'node:os';
import { KINDS } from '../../cli/src/targets/kubernetes/objects/made';
import { kubectl, until, type Namespace } from './cluster';
import { pause } from './wait';

const POD = {
  schedulerName: 'nobody',
  containers: [{ name: 'c', image: 'busybox:1.35' }],
};
const template = (labels: object, restartPolicy = 'Always'): object => ({
  metadata: { labels },
  spec: { ...POD, restartPolicy },
});

/** What stays as it is: nothing runs, no controller has anything to do. */
function specOf(kind: string, name: string): object {
  const labels = { app: name };
  const selector = { matchLabels: labels };
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const subject = { kind: 'ServiceAccount', name };
  const backend = { service: { name, port: { number: 80 } } };
  const job = { suspend: true, template: template(labels, 'Never') };
  const specs: Record<string, object> = {
    ConfigMap: { data: { a: 'b' } },
    PersistentVolumeClaim: {
      spec: {
        ...{ accessModes: ['ReadWriteOnce'], storageClassName: '' },
        resources: { requests: { storage: '1Gi' } },
      },
    },
    Pod: { spec: POD },
    Secret: { stringData: { 'encryption-key': 'theirs' } },
    Service: { spec: { ports: [{ port: 80 }], selector: labels } },
    ServiceAccount: {},
    DaemonSet: {
      spec: {
        selector,
        template: { metadata: { labels }, spec: { ...POD, nodeSelector: { no: 'node' } } },
      },
    },
    Deployment: { spec: { replicas: 0, selector, template: template(labels) } },
    ReplicaSet: { spec: { replicas: 0, selector, template: template(labels) } },
    StatefulSet: { spec: { replicas: 0, selector, serviceName: name, template: template(labels) } },
    CronJob: {
      spec: {
        suspend: true,
        schedule: '0 0 1 1 *',
        jobTemplate: { spec: { template: template(labels, 'Never') } },
      },
    },
    Job: { spec: job },
    HorizontalPodAutoscaler: {
      spec: {
        maxReplicas: 1,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' },
      },
    },
    Ingress: { spec: { ingressClassName: 'nobody', defaultBackend: backend } },
    NetworkPolicy: { spec: { podSelector: selector, policyTypes: ['Ingress'] } },
    PodDisruptionBudget: { spec: { minAvailable: 0, selector } },
    Role: { rules },
    RoleBinding: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [subject],
    },
    HTTPRoute: { spec: { parentRefs: [{ name: 'none' }] } },
  };
  const found = specs[kind];
  if (found === undefined) throw new Error(`no ${kind} is known here`);
  return found;
}

/** The kinds that the cluster has. */
async function kindsThere(): Promise<typeof KINDS> {
  const text = await kubectl(['api-resources', '--namespaced', '--no-headers']);
  const known = new Set(text.split('\n').map((line) => line.trim().split(/\s+/).at(-1)));
  return KINDS.filter(({ kind }) => known.has(kind));
}

/** Labels like those of our own objects, but for the call, which was another's; its process is gone. */
export const LIKE_OURS = {
  labels: {
    'app.kubernetes.io/managed-by': 'n8n-tuned',
    'app.kubernetes.io/name': 'n8n-tuned',
    'app.kubernetes.io/component': 'main',
    'n8n-tuned/call': 'ffff0000',
  },
  annotations: {
    'n8n-tuned/made-by': `${hostname()} 4194304 1`,
    'meta.helm.sh/release-name': 'theirs',
    'helm.sh/hook': 'pre-install',
  },
};

export class Strangers {
  private readonly made: string[] = [];

  constructor(private readonly space: Namespace) {}

  /** One of each kind, whose release has a name. */
  async put(name: string, release: string): Promise<void> {
    const kinds = await kindsThere();
    const { labels, annotations } = LIKE_OURS;
    const objects = kinds.map((kind) => ({
      ...kind,
      metadata: { name, annotations, labels: { ...labels, 'app.kubernetes.io/instance': release } },
      ...specOf(kind.kind, name),
    }));
    await this.space.apply(objects);
    this.made.push(...kinds.map(({ kind }) => `${kind} ${name}`));
    // Their controllers look at them once, and make what is theirs as well, such as a ReplicaSet.
    let before = '';
    await until('objects at rest', async () => {
      this.made.push(...(await this.others()));
      const now = JSON.stringify(await this.seen());
      const isAtRest = now === before;
      before = now;
      if (!isAtRest) await pause(4_000, 'the pace at which it looks');
      return isAtRest;
    });
  }

  /** UID and resource version of each. */
  async seen(): Promise<Record<string, string>> {
    const all = await this.all();
    return Object.fromEntries(this.made.map((name) => [name, all[name] ?? 'gone']));
  }

  /** What else is there, without what Kubernetes itself puts into a namespace. */
  async others(): Promise<string[]> {
    const known = [...this.made, 'ServiceAccount default', 'ConfigMap kube-root-ca.crt'];
    return Object.keys(await this.all()).filter((name) => !known.includes(name));
  }

  private async all(): Promise<Record<string, string>> {
    const kinds = (await kindsThere()).map(({ apiVersion, kind }) => {
      const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0] ?? ''}` : '';
      const version = apiVersion.split('/')[1] ?? '';
      return group === '' ? kind : `${kind}.${version}${group}`;
    });
    const text = await this.space.kubectl('get', kinds.join(','), '-o', 'json');
    const { items } = JSON.parse(text) as {
      items: { kind: string; metadata: { name: string; uid: string; resourceVersion: string } }[];
    };
    return Object.fromEntries(
      items.map(({ kind, metadata: { name, uid, resourceVersion } }) => [
        `${kind} ${name}`,
        `${uid} ${resourceVersion}`,
      ]),
    );
  }
}
