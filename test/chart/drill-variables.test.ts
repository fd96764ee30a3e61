// The table of drills compares processes on this machine with the chart's pods: what the chart sets in them, the processes of
// its configuration `defaults` have too, but for what belongs to a pod.
import { join } from 'node:path';
import { chooseTopology } from '../../cli/src/plan/chosen-topology.ts';
import { ROLES, type Role } from '../../cli/src/plan/roles.ts';
import { isOfPlace } from '../../cli/src/plan/environment.ts';
import { n8nEnv, type ProcessSeat } from '../../cli/src/targets/process/layout.ts';
import { commandOf, PARTS } from '../../studies/drills/parts';
import { paths, render } from './support/helm.ts';
import { podTemplates } from './support/pods.ts';

const root = join(__dirname, '../..');

/** What the plan gives the command. */
const given = (
  commandOf(
    PARTS.find(({ name }) => name === 'kill-main-process-defaults-1') as (typeof PARTS)[number],
    { root, out: 'out', isShort: false },
  ) as string[]
).flatMap((word, index, words) => (words[index - 1] === '--env' ? [word] : []));
const env = Object.fromEntries(
  given.map((word): [string, string] => {
    const equals = word.indexOf('=');
    return [word.slice(0, equals), word.slice(equals + 1)];
  }),
);

/** Follow from a memory limit, or say what n8n does by itself: prune, and keep binary data in the database. */
const OF_PODS = new Set([
  ...['N8N_RUNNERS_MAX_OLD_SPACE_SIZE', 'N8N_RUNNERS_MAX_PAYLOAD'],
  ...['EXECUTIONS_DATA_PRUNE', 'N8N_DEFAULT_BINARY_DATA_MODE'],
]);
/** For the pause before the end of a pod. */
const SCRIPTS_OF_PODS = new Set(['last-answers.cjs']);

const scriptsIn = (options = ''): string[] =>
  [...options.matchAll(/([\w-]+\.cjs)\b/g)].map(([, name = '']) => name);

const seat = (role: Role): ProcessSeat => ({
  ...{ role, folder: '/n8n', port: 1, brokerPort: 2, webhookUrl: 'http://localhost' },
  ...{ database: { kind: 'postgresql', port: 3 }, redisPort: 4 },
  ...{ filesFolder: '/files', patchFolder: '/etc/n8n-tuned/preload' },
});

test('processes have the variables and the scripts of the pods', async () => {
  const values = join(root, 'studies/drills/defaults.yaml');
  const { manifests } = await render(paths.helm3, ['--skip-tests', '-f', values]);
  const pods = podTemplates(manifests).flatMap(({ labels, spec }) => {
    const role = ROLES.find((one) => one === labels['app.kubernetes.io/component']);
    const container = spec.containers.find(({ name }) => name === 'n8n');
    return role === undefined || container === undefined ? [] : [{ role, container }];
  });
  expect(pods.map(({ role }) => role).sort()).toEqual([...ROLES].sort());
  for (const { role, container } of pods) {
    const here = n8nEnv(chooseTopology({ workers: 2, webhooks: 2, env }), seat(role));
    const there = Object.fromEntries(
      (container.env ?? []).flatMap(({ name, value }) =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    );
    const compared = Object.keys(there).filter(
      (name) => name !== 'NODE_OPTIONS' && (name in env || !isOfPlace(name)) && !OF_PODS.has(name),
    );
    const pick = (all: Record<string, string>): object =>
      Object.fromEntries(compared.map((name) => [name, all[name]]));
    expect([role, pick(here)]).toEqual([role, pick(there)]);
    const scripts = scriptsIn(there['NODE_OPTIONS']).filter((name) => !SCRIPTS_OF_PODS.has(name));
    expect([role, scriptsIn(here['NODE_OPTIONS'])]).toEqual([
      role,
      expect.arrayContaining(scripts),
    ]);
  }
  // Nothing is given that no pod has.
  const names = new Set(pods.flatMap(({ container }) => (container.env ?? []).map((e) => e.name)));
  expect(Object.keys(env).filter((name) => !names.has(name))).toEqual([]);
});
