// Every variable of n8n that the chart sets is one that somebody reads: looked up in the installed programs, and in the
// scripts that Node.js loads before n8n.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  cpSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { chart, paths, render, renderOf } from './support/helm.ts';
import { containersOf, podTemplates } from './support/pods.ts';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../support/versions';
import { tmpdir } from 'node:os';
import { parse, stringify } from 'yaml';
import { table } from '../../cli/src/plan/environment';
import { withRunners } from '../../cli/src/targets/container/runners';
import type { ProcessSpec } from '../../cli/src/targets/process/supervisor';
import { Workspace } from '../../cli/src/targets/process/workspace';

const PATTERN = '\\b(N8N|EXECUTIONS|DB|QUEUE|GENERIC|WEBHOOK|OFFLOAD)_[A-Z0-9_]+\\b';
const NAME = new RegExp(PATTERN, 'g');

/** All names of variables in an installed n8n's own packages. */
function namesIn(program: string): Set<string> {
  const modules = join(dirname(program), '../..');
  // Below 1.0 n8n has no packages of its scope.
  const scope = existsSync(join(modules, '@n8n')) ? readdirSync(join(modules, '@n8n')) : [];
  const own = scope.map((name) => join('@n8n', name));
  const preload = join(chart, 'files/preload');
  const scripts = readdirSync(preload).map((name) => readFileSync(join(preload, name), 'utf8'));
  const names = new Set<string>(scripts.join('\n').match(NAME));
  const folders = ['n8n', 'n8n-core', 'n8n-workflow', ...own]
    .map((name) => join(modules, name, 'dist'))
    .filter((folder) => existsSync(folder));
  // Thousands of files: a test would first read each of them as text.
  const found = execFileSync(
    'grep',
    ['-rhoE', '--include=*.js', '--exclude-dir=node_modules', PATTERN, ...folders],
    { encoding: 'utf8', maxBuffer: 64 << 20 },
  );
  for (const name of found.split('\n')) names.add(name);
  return names;
}

async function namesOf(args: string[]): Promise<string[]> {
  const { manifests } = await render(paths.helm3, ['--skip-tests', ...args]);
  const containers = podTemplates(manifests)
    .flatMap(containersOf)
    .filter(({ name }) => name === 'n8n');
  return [...new Set(containers.flatMap(({ env = [] }) => env.map(({ name }) => name)))].filter(
    (name) => name.match(NAME),
  );
}

const preset = (name: string): string[] => ['-f', join(chart, name)];
const renderings = {
  modern: [
    [],
    preset('ci/queue-values.yaml'),
    preset('ci/queue-external-values.yaml'),
    preset('ci/regular-postgresql-values.yaml'),
  ],
  legacy: [
    preset('../n8n-load/n8n/legacy-own.yaml'),
    [...preset('presets/medium.yaml'), '--set', `image.tag=${N8N_LEGACY_VERSION}`],
  ],
};

test.each([
  [N8N_VERSION, paths.n8n, renderings.modern],
  [N8N_LEGACY_VERSION, paths.n8nLegacy, renderings.legacy],
] as const)(
  'n8n %s reads every variable it is given',
  async (_, program, all) => {
    const known = namesIn(program);
    expect(known.size).toBeGreaterThan(100);
    for (const args of all) {
      const names = await namesOf([...args]);
      expect(names.length).toBeGreaterThan(10);
      // n8n reads the file of NAME_FILE for every variable of its configuration.
      expect(names.filter((name) => !known.has(name.replace(/_FILE$/, '')))).toEqual([]);
    }
  },
  120_000,
);

/** Those that name a port, a path or a token, or say when the pod ends. */
const OF_PLACE = [
  ...['HOME', 'N8N_RUNNERS_AUTH_TOKEN', 'N8N_RUNNERS_CONFIG_PATH', 'N8N_RUNNERS_TASK_BROKER_URI'],
  ...['N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT', 'N8N_RUNNERS_GRACEFUL_SHUTDOWN_TIMEOUT'],
];

const withoutPlace = (env: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OF_PLACE.includes(name)));

test.each([
  ['n8n of today', N8N_VERSION, []],
  ['n8n whose tasks end after 60 s', '1.123.81', []],
  [
    'n8n with a variable of its own for each that is handed down',
    N8N_VERSION,
    table().runners.handedDown.flatMap((name) => ['--set-string', `env.${name}=7`]),
  ],
])(
  'the chart gives a task runner in a sidecar what the command gives it in a container, for %s',
  async (_, n8n, more) => {
    const { manifests } = await render(paths.helm3, [
      ...['--skip-tests', '--set', `image.tag=${n8n}`, '--set', 'taskRunners.mode=external'],
      ...['--set', 'taskRunners.resources.limits.memory=600Mi', ...more],
    ]);
    const containers = podTemplates(manifests).flatMap(containersOf);
    const envOf = (name: string): Record<string, string> => {
      const { env = [] } = containers.find((container) => container.name === name) ?? {};
      return Object.fromEntries(env.flatMap(({ name, value = '' }) => [[name, value]]));
    };
    const workspace = new Workspace();
    try {
      const spec: ProcessSpec = {
        ...{ role: 'main', instance: 'main', command: ['n8n'], env: envOf('n8n') },
        ...{ folder: '/x', log: '/x/log', limits: {}, stopSignal: 'TERM', kind: 'service' },
      };
      const { beside } = withRunners(spec, workspace, {
        ...{ n8n, config: { 'task-runners': [] }, token: 'a-token', brokerPort: 5679 },
        ...{ given: { limits: { memoryMiB: 600 }, env: {} }, ports: { launcher: 1, runners: [] } },
      });
      expect(withoutPlace(beside.env)).toEqual(withoutPlace(envOf('task-runners')));
    } finally {
      workspace.remove();
    }
  },
);

// The chart's templates read the expressions of files/environment.yaml as the command does: test/cli/plan/environment.test.ts
// has the same cases.
interface Case {
  of: unknown;
  values?: object;
  role?: string;
  is: string;
}
const cases = parse(
  readFileSync(join(__dirname, '../support/environment-cases.yaml'), 'utf8'),
) as Case[];

/** Prints every expression under test, for each role that is deployed. */
const PROBE = `{{- include "n8n-tuned.prepare" . -}}
{{- range $component := .n8nTunedComponents }}
{{- range $index, $of := $.Files.Get "cases.yaml" | fromYamlArray }}
---
kind: Case
role: {{ $component.role }}
index: {{ $index }}
is: {{ include "n8n-tuned.asText" (dict "context" $ "component" $component "of" $of) | quote }}
{{- end }}
{{- end }}
`;

const folder = mkdtempSync(join(tmpdir(), 'environment-cases-'));
const probed = join(folder, 'n8n-tuned');
beforeAll(() => {
  cpSync(chart, probed, { recursive: true });
  writeFileSync(join(probed, 'cases.yaml'), stringify(cases.map(({ of }) => of)));
  writeFileSync(join(probed, 'templates', 'cases.yaml'), PROBE);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.each(['helm3', 'helm4'] as const)('%s reads every expression of the cases', async (helm) => {
  const valuesOf = ({ values }: Case): string => JSON.stringify(values ?? {});
  for (const values of new Set(cases.map(valuesOf))) {
    const file = join(folder, 'values.json');
    writeFileSync(file, values);
    const args = ['-f', file, '-s', 'templates/cases.yaml'];
    const { manifests } = await renderOf(probed, paths[helm], args);
    for (const [index, each] of cases.entries()) {
      if (valuesOf(each) !== values) continue;
      const { role = 'main', of, is } = each;
      const found = manifests.find((one) => one['role'] === role && one['index'] === index);
      expect({ values, of, is: found?.['is'] }).toEqual({ values, of, is });
    }
  }
});
