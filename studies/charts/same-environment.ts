// Values for the official chart that give n8n the environment variables which our chart gives it, as it comes:
// peers/same-environment-<mode>.yaml. Needs peers.sh first, and Helm 3 or 4.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { run } from './deployed';

const path = (relative: string): string => join(import.meta.dirname, relative);

/** Says where n8n and its stores are, or how it is asked whether it lives: of the deployment, no setting. */
const OF_THE_PLACE =
  /^(N8N_(USER_FOLDER|PORT|WEBHOOK_URL|TUNED_.*)|QUEUE_HEALTH_CHECK_.*|QUEUE_BULL_REDIS_(HOST|PORT|DB)|DB_(TYPE|POSTGRESDB_(HOST|PORT|DATABASE|USER|PASSWORD|SCHEMA)))$/;

export interface Variable {
  name: string;
  value?: string;
  valueFrom?: object;
}
/** What is read of a manifest here. */
export interface Manifest {
  kind: string;
  spec?: {
    template?: {
      metadata: { labels: Record<string, string> };
      spec: { containers: { env?: Variable[] }[] };
    };
  };
}

/** What a role's container of n8n gets, by name; null where it comes from somewhere else. */
function environmentOf(manifests: readonly (Manifest | null)[], role: string) {
  const template = manifests.find(
    (one) =>
      one?.kind === 'Deployment' &&
      one.spec?.template?.metadata.labels['app.kubernetes.io/component'] === role,
  )?.spec?.template;
  const env = template?.spec.containers[0]?.env ?? [];
  return Object.fromEntries(env.map(({ name, value }) => [name, value ?? null]));
}

/**
 * What can be given of ours to a chart that brings `theirs`: what it sets itself stays as it is, and the patches are
 * files, which no variable brings.
 */
function sharedEnvironment(ours: Record<string, string | null>, theirs: object): Variable[] {
  return Object.entries(ours).flatMap(([name, value]) => {
    if (value === null || name in theirs || OF_THE_PLACE.test(name)) return [];
    const kept = name === 'NODE_OPTIONS' ? withoutScripts(value) : value;
    return kept === '' ? [] : [{ name, value: kept }];
  });
}

const withoutScripts = (options: string): string =>
  options
    .split(' ')
    .filter((option) => !option.startsWith('--require='))
    .join(' ');

/** The same as values of the official chart: what main and a worker differ in goes to each by itself. Pure. */
export function valuesFor(
  ours: readonly (Manifest | null)[],
  theirs: readonly (Manifest | null)[],
): object {
  const envOf = (role: string): Variable[] =>
    sharedEnvironment(environmentOf(ours, role), environmentOf(theirs, role));
  const worker = envOf('worker');
  return {
    // This is main's alone, in spite of its name.
    webhook: { extraEnv: envOf('main') },
    ...(worker.length === 0 ? {} : { queueMode: { workerExtraEnv: worker } }),
  };
}

async function rendered(chart: string, values: string): Promise<(Manifest | null)[]> {
  const text = await run('helm3', ['template', 'n8n', path(chart), '--values', path(values)]);
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest | null);
}

export async function writeSameEnvironment(): Promise<void> {
  for (const mode of ['regular', 'queue']) {
    const values = valuesFor(
      await rendered('../../charts/n8n-tuned', `values/tuned-${mode}.yaml`),
      await rendered('peers/official', `values/official-${mode}.yaml`),
    );
    writeFileSync(path(`peers/same-environment-${mode}.yaml`), stringify(values));
  }
}
