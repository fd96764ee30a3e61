// Every suite of tests: what it shows, what it needs, how it is run. Fast ones first.
// `needs` are names of the lab's tools; a suite with `jest` is the Jest project of its name, whose files run one after
// the other, or `filesAtOnce`, of which `only` chooses some; those in `alone` run after the others, by themselves,
// as a neighbour could change what they measure. `allAtOnce` are checks side by side. A `long` suite runs with LONG=1 or
// by its name.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const studies = fileURLToPath(new URL('../studies/', import.meta.url));

/** The names of the studies whose needs are such. */
const studiesThat = (isSuch) =>
  readdirSync(studies).filter((name) => {
    const file = join(studies, name, 'study.yaml');
    return existsSync(file) && isSuch(parse(readFileSync(file, 'utf8')).needs);
  });

/** The files of a suite that `pure` does not run. */
const TOOLS_OR_LONG = '\\.(tools|long)\\.test\\.ts$';

/** What chooses the files of each call of Jest, and how many run at once. */
export function passesOf({ only, alone, filesAtOnce }) {
  const atOnce = filesAtOnce ? `--maxWorkers=${filesAtOnce}` : '--runInBand';
  if (!alone) return [[...(only ? ['--testPathPatterns', only] : []), atOnce]];
  const names = `/(${alone.join('|')})\\.test\\.ts$`;
  return [
    ['--testPathPatterns', `^(?!.*${names}).*${only ?? ''}`, atOnce],
    ['--testPathPatterns', names, '--runInBand'],
  ];
}

export const suites = [
  {
    name: 'lint',
    shows: 'ESLint, formatting and shell scripts are clean',
    allAtOnce: true,
    needs: ['shellcheck'],
    checks: [
      ['eslint', 'npx', ['eslint', '.', '--max-warnings', '0']],
      ['prettier', 'npx', ['prettier', '--check', '--log-level', 'warn', '.']],
      ['shell scripts', 'bash', ['lab/lint-shell.sh']],
    ],
  },
  {
    name: 'types',
    shows: 'strict TypeScript, everywhere',
    allAtOnce: true,
    checks: [
      ['package, command and tests', 'npx', ['tsc', '-p', 'tsconfig.json']],
      ['k6 scripts', 'npx', ['tsc', '-p', 'loadtests/tsconfig.json']],
      ['dashboards', 'npx', ['tsc', '-p', 'monitoring/tsconfig.json']],
    ],
  },
  {
    name: 'generated',
    shows: 'no generated file is out of date',
    checks: [['generated files', 'npx', ['tsx', 'lab/generate/all.ts', '--check']]],
  },
  {
    name: 'pure',
    shows: 'the command and what k6 shares with it, without a tool of the lab',
    jest: true,
    filesAtOnce: 2,
  },
  { name: 'lab', shows: 'the installer and the doctor', jest: true, filesAtOnce: 2, needs: [] },
  {
    name: 'cli',
    shows: 'the command with k6, helm and S3 beside it; the quality of its search',
    jest: true,
    only: TOOLS_OR_LONG,
    filesAtOnce: 2,
    // A run is invalid where its generator was late.
    alone: [
      ...['compare.tools', 'generator.tools', 'report.tools', 'run.tools', 'server.tools'].map(
        (name) => `command-line/${name}`,
      ),
      'features/drill/drill.tools',
    ],
    needs: ['k6', 'helm3', 'versitygw'],
  },
  {
    name: 'loadtests',
    shows: 'k6 scripts against a server of known behaviour; the examples on a real n8n',
    jest: true,
    only: TOOLS_OR_LONG,
    needs: ['k6', 'node24', 'n8n'],
  },
  {
    name: 'nodes',
    shows: "operations through n8n's own engine, queue monitor on a real Redis",
    jest: true,
    filesAtOnce: 2,
    needs: ['node24', 'n8n', 'n8n-legacy', 'redis', 'postgresql'],
  },
  {
    name: 'chart',
    shows: 'rendering under Helm 3 and 4: features, traps, messages',
    jest: true,
    filesAtOnce: 2,
    needs: [
      ...['helm3', 'helm4', 'helm-unittest', 'kubeconform'],
      ...['k6', 'redis', 'postgresql', 'node24', 'n8n'],
    ],
  },
  {
    name: 'monitoring',
    shows:
      'every alert fires and stays silent; alerts and panels on a real n8n and Prometheus; runbooks',
    jest: true,
    filesAtOnce: 2,
    needs: ['prometheus', 'helm3', 'k6', 'node24', 'n8n', 'redis', 'postgresql'],
  },
  {
    name: 'monitoring-long',
    shows: 'every series that an alert names, on a real n8n; the alert when a worker is killed',
    jest: true,
    needs: ['prometheus', 'helm3', 'k6', 'node24', 'n8n', 'redis', 'postgresql'],
    long: true,
  },
  {
    name: 'workflows',
    shows: 'every workload on real n8n',
    jest: true,
    filesAtOnce: 2,
    needs: ['n8n', 'n8n-legacy'],
  },
  {
    name: 'process',
    shows: 'real n8n processes in every topology',
    jest: true,
    filesAtOnce: 2,
    needs: ['n8n', 'n8n-legacy', 'redis', 'postgresql', 'nginx', 'k6'],
  },
  {
    name: 'process-long',
    shows: 'real n8n processes, what takes long',
    jest: true,
    needs: ['n8n', 'redis', 'postgresql', 'k6'],
    long: true,
  },
  {
    name: 'studies',
    shows: 'every study with --quick runs to its end, and nothing in it crashes',
    checks: [
      ['build', 'node', ['cli/build.mjs']],
      ...studiesThat((needs) => !needs.includes('cluster')).map((name) => [
        name,
        'node',
        ['test/studies/quick.mjs', name],
      ]),
    ],
    needs: [
      ...['k6', 'pm2', 'http-frameworks', 'n8n', 'n8n-legacy', 'redis', 'postgresql', 'nginx'],
      ...['iptables', 'versitygw'],
    ],
    long: true,
  },
  {
    name: 'browser',
    shows: 'the editor and the report in a real browser',
    jest: true,
    filesAtOnce: 2,
    needs: ['n8n', 'n8n-legacy', 'redis', 'postgresql', 'k6', 'chromium'],
  },
  {
    name: 'browser-long',
    shows: 'the report of a run on a real n8n, in a real browser',
    jest: true,
    needs: ['n8n', 'redis', 'postgresql', 'k6', 'chromium'],
    long: true,
  },
  {
    name: 'site',
    shows:
      'the documentation site in a real browser: accessible, no wider than a phone, with a search',
    jest: true,
    needs: ['chromium'],
    long: true,
  },
  {
    name: 'cluster',
    shows: 'a real Kubernetes',
    jest: true,
    filesAtOnce: 2,
    needs: ['cluster'],
    cluster: true,
  },
  {
    name: 'studies-pods',
    shows: 'every study in pods with --quick runs to its end, and nothing in it crashes',
    checks: [
      ['build', 'node', ['cli/build.mjs']],
      ...studiesThat((needs) => needs.includes('cluster')).map((name) => [
        name,
        'lab/cluster/cluster',
        ['exec', 'node', 'test/studies/quick.mjs', name],
      ]),
    ],
    needs: ['cluster'],
    cluster: true,
    long: true,
  },
  {
    name: 'cluster-long',
    shows: 'a real Kubernetes, what takes long',
    jest: true,
    needs: ['cluster'],
    cluster: true,
    long: true,
  },
];
