// Pods inside manifests: templates of Deployments, StatefulSets, Jobs and CronJobs, Pods themselves, and those of a TestRun.
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
  envFrom?: { secretRef?: { name: string }; configMapRef?: { name: string } }[];
  restartPolicy?: string;
  resources?: { requests?: { cpu?: string } };
  securityContext?: { readOnlyRootFilesystem?: boolean; allowPrivilegeEscalation?: boolean };
  volumeMounts?: { name: string; mountPath: string }[];
  ports?: { name: string; containerPort: number }[];
  lifecycle?: { preStop?: { exec?: { command: string[] } } };
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
  terminationGracePeriodSeconds?: number;
}

type Generator = Omit<Container, 'name' | 'securityContext'> & {
  containerSecurityContext: NonNullable<Container['securityContext']>;
  metadata: { labels: Record<string, string> };
  volumes: Volume[];
};

export interface PodTemplate {
  owner: Manifest;
  labels: Record<string, string>;
  spec: PodSpec;
}

interface WithTemplate {
  template?: { metadata?: Manifest['metadata']; spec: PodSpec };
}

export function podTemplates(manifests: Manifest[]): PodTemplate[] {
  return manifests.flatMap((owner) => {
    const given = owner['spec'] as
      (WithTemplate & { jobTemplate?: { spec: WithTemplate } }) | undefined;
    const spec = given?.jobTemplate?.spec ?? given;
    if (owner.kind === 'Pod') {
      return [{ owner, labels: owner.metadata.labels ?? {}, spec: spec as unknown as PodSpec }];
    }
    if (owner.kind === 'TestRun') {
      // The operator makes a pod of these for each generator.
      const { runner } = owner['spec'] as { runner: Generator };
      const container = { name: 'k6', ...runner, securityContext: runner.containerSecurityContext };
      return [
        { owner, labels: runner.metadata.labels, spec: { ...runner, containers: [container] } },
      ];
    }
    if (
      !['Deployment', 'StatefulSet', 'Job', 'CronJob'].includes(owner.kind) ||
      spec?.template === undefined
    )
      return [];
    return [{ owner, labels: spec.template.metadata?.labels ?? {}, spec: spec.template.spec }];
  });
}

export function containersOf(pod: PodTemplate): Container[] {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
}
