/** A chart that is not ours: what stands beside it, and which part each of its pods plays. */
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type { ChartRole, ForeignChart } from '../../../plan/chart-file';
import { Mistake } from '../../../ui/exit';
import { yamlFault } from '../../../ui/yaml-file';
import type { KubernetesObject, V1Pod, V1Service } from '../api/api-types';
import { CALL, COMPONENT, releaseSelector } from '../objects/labels';

/** What is looked at of what a person writes into a manifest. */
const labels = z.record(z.string(), z.string()).optional();
const manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels }),
  spec: z
    .looseObject({
      template: z.looseObject({ metadata: z.looseObject({ labels }).optional() }).optional(),
    })
    .optional(),
});

/** The objects of the manifests as parts of the release, so that they are waited for and looked at as such, and of the call. Pure. */
export function objectsBeside(
  { manifests }: Pick<ForeignChart, 'manifests'>,
  { call, release, namespace }: { call: string; release: string; namespace: string },
): KubernetesObject[] {
  const [label, value] = releaseSelector(release).split('=') as [string, string];
  return manifests.flatMap(({ name, text }) =>
    parseAllDocuments(text).flatMap((document) => {
      const [broken] = document.errors;
      if (broken !== undefined) throw new Mistake(`${name} is not YAML: ${yamlFault(broken)}`);
      const content: unknown = document.toJS();
      if (content === null) return [];
      const { data: object } = manifest.safeParse(content);
      if (object === undefined) {
        throw new Mistake(`${name} has an object without a kind or a name: set both.`);
      }
      const labelled = <T extends { labels?: Record<string, string> | undefined }>(
        metadata: T,
      ) => ({
        ...metadata,
        labels: { ...metadata.labels, [label]: value, [CALL]: call },
      });
      const template = object.spec?.template;
      return [
        {
          ...object,
          metadata: { ...labelled(object.metadata), namespace },
          ...(template === undefined
            ? {}
            : {
                spec: {
                  ...object.spec,
                  template: { ...template, metadata: labelled(template.metadata ?? {}) },
                },
              }),
        },
      ];
    }),
  );
}

/** Each pod with the component that the roles of the chart file give it. Pure. */
export function withRoles(pods: readonly V1Pod[], roles: ForeignChart['roles']): V1Pod[] {
  const entries = Object.entries(roles) as [ChartRole, Record<string, string>][];
  return pods.map((pod) => {
    const labels = pod.metadata?.labels ?? {};
    const [role] =
      entries.find(([, wanted]) =>
        Object.entries(wanted).every(([name, value]) => labels[name] === value),
      ) ?? [];
    if (role === undefined) return pod;
    return { ...pod, metadata: { ...pod.metadata, labels: { ...labels, [COMPONENT]: role } } };
  });
}

/** The Service that the file names, with the port that it names. Pure. */
export function namedService(
  services: readonly V1Service[],
  { service }: Pick<ForeignChart, 'service'>,
): V1Service | null {
  const found = services.find(({ metadata }) => metadata?.name === service?.name);
  if (found?.spec === undefined || service === undefined) return null;
  const ports = (found.spec.ports ?? []).filter(
    ({ port }) => service.port === undefined || port === service.port,
  );
  return ports.length === 0 ? null : { ...found, spec: { ...found.spec, ports } };
}
