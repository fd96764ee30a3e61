// Every suite of tests: what it shows and what it needs. `lint`, `types` and `generated` are programs; every other suite is
// the Jest project of its name in jest.config.mjs.

/** A program that ends with exit code 0 where all is well. */
export interface Check {
  title: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
}

export interface Suite {
  name: string;
  shows: string;
  /** Tools of the lab, by the names of `lab/install.sh --list`. */
  needs?: string[];
  checks?: Check[];
  /** Files of light loads, which run when all that starts more has ended: a generator that is late makes a run invalid. */
  light?: string[];
  /** Runs on a real Kubernetes, with --cluster. */
  cluster?: true;
  /**
   * Runs with LONG=1 or by its name, one file after the other, since a neighbour could change what they measure. `X-long`
   * has the files of its folder, and those of the suite X that are called *.long.test.ts.
   */
  long?: true;
}

/** What ESLint, TypeScript and `make check` remember of files that have not changed. */
export const CACHE = 'node_modules/.cache/check';

const node = (title: string, script: string, ...args: string[]): Check => ({
  title,
  command: process.execPath,
  args: [script, ...args],
});

const types = (title: string, project: string): Check =>
  node(
    title,
    'node_modules/typescript/bin/tsc',
    ...['-p', project, '--noEmit', '--incremental'],
    ...['--tsBuildInfoFile', `${CACHE}/${project.replaceAll('/', '-')}.tsbuildinfo`],
  );

const LINT: Check[] = [
  node(
    'ESLint',
    'node_modules/eslint/bin/eslint.js',
    ...['.', '--max-warnings', '0'],
    ...['--cache', '--cache-strategy', 'content', '--cache-location', `${CACHE}/eslint/`],
  ),
  node(
    'Prettier',
    'node_modules/prettier/bin/prettier.cjs',
    ...['--check', '--log-level', 'warn', '.'],
    ...['--cache', '--cache-location', `${CACHE}/prettier`],
  ),
];

const TYPES: Check[] = [
  types('types of the packages, the command and the tests', 'tsconfig.json'),
  types('types of the k6 scripts', 'loadtests/tsconfig.json'),
];

/** Files of the suite pure that `make check` leaves out, as each takes many seconds. */
const SLOW = '\\.slow\\.test\\.ts$';
const NOT_IN_PURE = '\\.(tools|long)\\.test\\.ts$';

/** A change of these reaches the tests that import them, and those in which `reachedWithoutImport` is found. */
const SOURCE = /^(cli\/src|lab|monitoring|site|test)\/.*\.ts$/;
const DOCUMENT = /^(docs\/.*|(.*\/)?(README|CHANGELOG)|[^/]+)\.md$/;
/** They take effect in every test, and no test imports them for it. */
const BEFORE_EVERY_TEST = /^test\/support\/(built|properties|without-tools)\.ts$/;

/** What is in a test that bundles sources, lists their folder or reads a document: a pattern for `git grep -E`. */
export function reachedWithoutImport(changed: string[]): string {
  const isAny = (pattern: RegExp): boolean => changed.some((path) => pattern.test(path));
  return [
    ...(isAny(SOURCE) ? ["esbuild|cli/src'"] : []),
    ...(isAny(DOCUMENT) ? ["(docs|README|CHANGELOG)[^']*\\.md'"] : []),
  ].join('|');
}

/** Whether it is known which tests so many changes can reach; else all of them must run. */
export const isReachKnown = (changed: string[]): boolean =>
  changed.every(
    (path) => (SOURCE.test(path) && !BEFORE_EVERY_TEST.test(path)) || DOCUMENT.test(path),
  );

/**
 * For `make check`: what needs no tool of the lab and little time, with a tenth of the cases of each property. `reached`
 * are the files whose tests run, with those that import them; null for all tests.
 */
export const checksOf = (reached: string[] | null): Check[] => [
  {
    ...node(
      reached ? 'pure tests that the change can reach' : 'pure tests',
      'node_modules/jest/bin/jest.js',
      ...['--selectProjects', 'pure', '--maxWorkers=2', '--silent', '--passWithNoTests'],
      ...['--testPathIgnorePatterns', '/node_modules/', NOT_IN_PURE, SLOW],
      ...(reached ? ['--findRelatedTests', ...reached] : []),
    ),
    env: { PROPERTY_SHARE: '0.1' },
  },
  ...LINT,
  ...TYPES,
];

export const suites: Suite[] = [
  {
    name: 'lint',
    shows: 'ESLint, formatting, shell scripts and what GitHub runs are clean',
    needs: ['shellcheck', 'actionlint'],
    checks: [
      ...LINT,
      {
        title: 'shell scripts and workflows of GitHub',
        command: 'bash',
        args: ['lab/lint-shell.sh'],
      },
    ],
  },
  { name: 'types', shows: 'strict TypeScript, everywhere', checks: TYPES },
  {
    name: 'generated',
    shows: 'no generated file is out of date',
    checks: [node('generated files', 'node_modules/.bin/tsx', 'lab/generate/all.ts', '--check')],
  },
  {
    name: 'pure',
    shows: 'the command and what k6 shares with it, without a tool of the lab',
  },
  { name: 'lab', shows: 'the installer, the doctor, the documents, the studies and generators' },
  {
    name: 'cli',
    shows: 'the command with k6, helm and S3 beside it',
    needs: ['k6', 'helm3', 'versitygw'],
    light: [
      ...['at-url', 'rate', 'report', 'run', 'secrets', 'server', 'workload-file'].map(
        (name) => `command-line/${name}.tools`,
      ),
      'features/drill/drill.tools',
    ],
  },
  {
    name: 'cli-long',
    shows: 'comparisons and generators with k6; the quality of the search on simulated machines',
    needs: ['k6', 'helm3', 'versitygw'],
    long: true,
  },
  {
    name: 'loadtests',
    shows: 'k6 scripts against a server of known behaviour; with LONG=1 the examples on a real n8n',
    needs: ['k6', 'node24', 'n8n'],
    light: ['idle-connections.tools', 'k6.tools', 'verdict.tools'],
  },
  {
    name: 'nodes',
    shows: "operations through n8n's own engine, queue monitor on a real Redis",
    needs: ['node24', 'n8n', 'n8n-legacy', 'redis', 'postgresql'],
  },
  {
    name: 'nodes-long',
    shows: 'the nodes in a real n8n in queue mode',
    needs: ['node24', 'n8n', 'redis', 'postgresql'],
    long: true,
  },
  {
    name: 'chart',
    shows: 'rendering under Helm 3 and 4: features, traps, messages',
    needs: [
      ...['helm3', 'helm4', 'helm-unittest', 'kubeconform'],
      ...['k6', 'redis', 'postgresql', 'node24', 'n8n'],
    ],
    light: ['load-test-pod'],
  },
  {
    name: 'chart-long',
    shows:
      'what the patches and scripts of the chart change in a real n8n, and that wrong ones are found',
    needs: ['helm3', 'redis', 'postgresql', 'node18', 'node24', 'n8n', 'n8n-legacy'],
    long: true,
  },
  {
    name: 'monitoring',
    shows:
      'every alert fires and stays silent; alerts and panels on a real n8n and Prometheus; runbooks',
    needs: ['prometheus', 'helm3', 'k6', 'node24', 'n8n', 'redis', 'postgresql'],
  },
  {
    name: 'monitoring-long',
    shows: 'every series that an alert names, on a real n8n; the alert when a worker is killed',
    needs: ['prometheus', 'helm3', 'k6', 'node24', 'n8n', 'redis', 'postgresql'],
    long: true,
  },
  {
    name: 'workflows',
    shows: 'every workload on real n8n',
    needs: ['n8n', 'n8n-legacy'],
  },
  {
    name: 'workflows-long',
    shows: 'workloads on an n8n below 1.0, and memory-hog, which ends n8n',
    needs: ['n8n', 'n8n-legacy'],
    long: true,
  },
  {
    name: 'process',
    shows: 'real n8n processes in every topology',
    needs: ['n8n', 'n8n-legacy', 'redis', 'postgresql', 'nginx', 'k6'],
  },
  {
    name: 'process-long',
    shows: 'real n8n processes, what takes long',
    needs: ['n8n', 'n8n-legacy', 'redis', 'postgresql', 'nginx', 'k6', 'image-archives'],
    long: true,
  },
  {
    name: 'studies',
    shows: 'every study with --quick runs to its end, and nothing in it crashes',
    needs: [
      ...['k6', 'pm2', 'http-frameworks', 'n8n', 'n8n-legacy', 'redis', 'postgresql', 'nginx'],
      ...['iptables', 'versitygw'],
    ],
    long: true,
  },
  {
    name: 'browser',
    shows: 'the reports in a real browser',
    needs: ['n8n', 'redis', 'postgresql', 'k6', 'chromium'],
  },
  {
    name: 'browser-long',
    shows: 'the editor of n8n and the report of a run on a real n8n, in a real browser',
    needs: ['n8n', 'n8n-legacy', 'redis', 'postgresql', 'k6', 'chromium'],
    long: true,
  },
  {
    name: 'site',
    shows:
      'the documentation site in a real browser: accessible, no wider than a phone, with a search',
    needs: ['chromium'],
    long: true,
  },
  { name: 'cluster', shows: 'a real Kubernetes', needs: ['cluster'], cluster: true },
  {
    name: 'studies-pods',
    shows: 'every study in pods with --quick runs to its end, and nothing in it crashes',
    needs: ['cluster'],
    cluster: true,
    long: true,
  },
  {
    name: 'cluster-long',
    shows: 'a real Kubernetes, what takes long',
    needs: ['cluster'],
    cluster: true,
    long: true,
  },
];

const LIGHT_AT_ONCE = 2;

/**
 * What chooses the files of each call of Jest: first those that run side by side, then those of light loads, and in the end
 * those that run alone.
 */
export function passesOf(chosen: Suite[], filesAtOnce: number): string[][] {
  const patternOf = (filesOf: (suite: Suite) => string[]): string | null => {
    const files = chosen.flatMap(filesOf);
    return files.length === 0 ? null : `(^|/)test/(${files.join('|')})\\.test\\.ts$`;
  };
  const light = patternOf(({ name, light: files = [] }) => files.map((file) => `${name}/${file}`));
  const alone = patternOf(({ name, long }) =>
    long ? [`${name}/.*`, `${name.replace(/-long$/, '')}/.*\\.long`] : [],
  );
  const others = [light, alone].flatMap((pattern) =>
    pattern === null ? [] : [`(?!.*${pattern})`],
  );
  const pass = (pattern: string | null, ...how: string[]): string[][] =>
    pattern === null ? [] : [['--testPathPatterns', pattern, ...how]];
  return [
    ['--testPathPatterns', `^${others.join('')}`, `--maxWorkers=${String(filesAtOnce)}`],
    ...pass(light, `--maxWorkers=${String(LIGHT_AT_ONCE)}`),
    ...pass(alone, '--runInBand'),
  ];
}

/** The suite whose file it is: `pure` has the files of two folders that need no tool of the lab. */
export function suiteOf(path: string): string {
  const folder = /\/test\/([^/]+)\//.exec(path)?.[1] ?? '';
  if (path.endsWith('.long.test.ts')) return `${folder}-long`;
  const isPure = ['cli', 'loadtests'].includes(folder) && !path.endsWith('.tools.test.ts');
  return isPure ? 'pure' : folder;
}
