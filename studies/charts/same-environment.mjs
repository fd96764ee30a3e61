// Writes values for the official chart that give n8n the environment variables which our chart gives it, as it comes:
// peers/same-environment-<mode>.yaml. Needs peers.sh first, and Helm 3 or 4.
//   node studies/charts/same-environment.mjs
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** Says where n8n and its stores are, or how it is asked whether it lives: of the deployment, no setting. */
const OF_THE_PLACE =
  /^(N8N_(USER_FOLDER|PORT|WEBHOOK_URL|TUNED_.*)|QUEUE_HEALTH_CHECK_.*|QUEUE_BULL_REDIS_(HOST|PORT|DB)|DB_(TYPE|POSTGRESDB_(HOST|PORT|DATABASE|USER|PASSWORD|SCHEMA)))$/;

/** What a role's container of n8n gets, by name; null where it comes from somewhere else. Pure. */
export function environmentOf(manifests, role) {
  const deployment = manifests.find(
    (one) =>
      one?.kind === 'Deployment' &&
      one.spec.template.metadata.labels['app.kubernetes.io/component'] === role,
  );
  const [container] = deployment?.spec.template.spec.containers ?? [];
  return Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? null]));
}

/**
 * Of ours, what can be given to a chart that brings `theirs`: what it sets itself stays as it is, and the patches are
 * files, which no variable brings. Pure.
 */
export function sharedEnvironment(ours, theirs) {
  return Object.entries(ours).flatMap(([name, value]) => {
    if (value === null || name in theirs || OF_THE_PLACE.test(name)) return [];
    const kept = name === 'NODE_OPTIONS' ? withoutScripts(value) : value;
    return kept === '' ? [] : [{ name, value: kept }];
  });
}

const withoutScripts = (options) =>
  options
    .split(' ')
    .filter((option) => !option.startsWith('--require='))
    .join(' ');

/** As values of the official chart: what main and a worker differ in goes to each by itself. Pure. */
export function valuesFor(ours, theirs) {
  const [main, worker] = ['main', 'worker'].map((role) =>
    sharedEnvironment(environmentOf(ours, role), environmentOf(theirs, role)),
  );
  return {
    // Of main alone, in spite of its name.
    webhook: { extraEnv: main },
    ...(worker.length === 0 ? {} : { queueMode: { workerExtraEnv: worker } }),
  };
}

function rendered(chart, values) {
  const args = ['template', 'n8n', path(chart), '--values', path(values)];
  const text = execFileSync('helm3', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return parseAllDocuments(text).map((document) => document.toJS());
}

export function writeSameEnvironment() {
  for (const mode of ['regular', 'queue']) {
    const values = valuesFor(
      rendered('../../charts/n8n-tuned', `values/tuned-${mode}.yaml`),
      rendered('peers/official', `values/official-${mode}.yaml`),
    );
    writeFileSync(path(`peers/same-environment-${mode}.yaml`), stringify(values));
  }
}

if (process.argv[1] === import.meta.filename) writeSameEnvironment();
