/** Asks a cluster, permission by permission, whether it may be loaded. */
import { findHelm } from '../../chart/render';
import type { Cluster } from './api';
import { checksOf, questionsOf, type RightCheck } from './rights';

export interface Examination {
  context: string;
  server: string;
  kubernetes: string;
  /** Null: there is none here. */
  helm: string | null;
  rights: RightCheck[];
  /** Whether the cluster has the metrics API; without, everything is measured all the same. */
  metricsApi: boolean;
  isReady: boolean;
}

/** Kubernetes from which on it is tested. */
const OLDEST_MINOR = 29;

export async function examine(
  cluster: Cluster,
  how: 'deploy' | 'existing',
  namespace: string | null,
): Promise<Examination> {
  const kubernetes = await cluster.version();
  const answers = await Promise.all(
    questionsOf(how, namespace).map(async (question) => {
      const { right, verb } = question;
      const [resource, subresource] = right.resource.split('/');
      const review = await cluster.doing('checking its permissions', () =>
        cluster.authorization.createSelfSubjectAccessReview({
          body: {
            spec: {
              resourceAttributes: {
                ...{ verb, group: right.group, resource: resource ?? '' },
                ...(subresource === undefined ? {} : { subresource }),
                ...(question.namespace === null ? {} : { namespace: question.namespace }),
              },
            },
          },
        }),
      );
      return { ...question, isAllowed: review.status?.allowed === true };
    }),
  );
  const helm = findHelm();
  const rights = checksOf(answers);
  return {
    context: cluster.context,
    server: cluster.server,
    kubernetes,
    helm,
    rights,
    metricsApi: await cluster.hasMetricsApi(),
    isReady: helm !== null && rights.every((right) => right.part === 'drill' || !isMissing(right)),
  };
}

const isMissing = ({ missing }: RightCheck): boolean => missing.length > 0;

/** Lines that the doctor prints. Pure. */
export function examinationLines(of: Examination, how: 'deploy' | 'existing'): string[] {
  const line = (ok: boolean, name: string, text: string): string =>
    `  ${(ok ? 'ok' : 'missing').padEnd(9)}${name.padEnd(12)}${text}`;
  const isOld = Number(/^v1\.(\d+)/.exec(of.kubernetes)?.[1] ?? OLDEST_MINOR) < OLDEST_MINOR;
  return [
    `Context ${of.context} at ${of.server}`,
    line(
      !isOld,
      'cluster',
      `${of.kubernetes}${isOld ? `: ${`1.${String(OLDEST_MINOR)}`} or newer is tested` : ''}`,
    ),
    line(of.helm !== null, 'helm', of.helm ?? 'not found: install Helm 3.18 or later'),
    ...of.rights.map(({ what, missing, why }) =>
      line(
        missing.length === 0,
        'permission',
        missing.length === 0 ? what : `${what}: ${missing.join(', ')} is missing (${why})`,
      ),
    ),
    of.metricsApi
      ? line(true, 'metrics API', 'present; it is not needed')
      : `  ${'absent'.padEnd(9)}${'metrics API'.padEnd(12)}the figures come from inside the pods, so it is not needed`,
    '',
    of.isReady
      ? `n8n can be ${how === 'deploy' ? 'deployed and load-tested' : 'load-tested'} in this cluster${of.rights.some((right) => right.part === 'drill' && isMissing(right)) ? '; only the drills named above cannot run' : ''}.`
      : 'n8n cannot be load-tested in this cluster yet: docs/kubernetes.md shows the Role that you need.',
  ];
}
