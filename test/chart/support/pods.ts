// Pods inside manifests: templates of Deployments, StatefulSets and Jobs, and Pods themselves.
import type { Manifest } from './helm.ts';

interface KeyRef {
  name: string;
  key: string;
  optional?: boolean;
}

export interface EnvEntry {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: KeyRef; configMapKeyRef?: KeyRef };
}

export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: EnvEntry[];
  volumeMounts?: { name: string; mountPath: string }[];
  ports?: { name: string; containerPort: number }[];
}

export interface Volume {
  name: string;
  configMap?: { name: string; items?: { key: string; path: string }[] };
  secret?: { secretName: string };
  persistentVolumeClaim?: { claimName: string };
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  serviceAccountName?: string;
}

export interface PodTemplate {
  owner: Manifest;
  labels: Record<string, string>;
  spec: PodSpec;
}

export function podTemplates(manifests: Manifest[]): PodTemplate[] {
  return manifests.flatMap((owner) => {
    const spec = owner['spec'] as
      { template?: { metadata?: Manifest['metadata']; spec: PodSpec } } | undefined;
    if (owner.kind === 'Pod') {
      return [{ owner, labels: owner.metadata.labels ?? {}, spec: spec as unknown as PodSpec }];
    }
    if (!['Deployment', 'StatefulSet', 'Job'].includes(owner.kind) || spec?.template === undefined)
      return [];
    return [{ owner, labels: spec.template.metadata?.labels ?? {}, spec: spec.template.spec }];
  });
}

export function containersOf(pod: PodTemplate): Container[] {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
}
