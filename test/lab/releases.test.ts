// What GitHub runs and shows: actions pinned by hash, commands that exist, and files that can be read.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parse } from 'yaml';
import { suites } from '../suites';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder)).map((file) => `${folder}/${file}`);
const workflows = filesIn('.github/workflows');

interface Job {
  permissions?: Record<string, string>;
  'timeout-minutes'?: unknown;
  uses?: string;
  needs?: string | string[];
  steps?: { uses?: string; run?: string }[];
}
interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}
const workflow = (file: string): Workflow => parse(read(file)) as Workflow;
const engines = (JSON.parse(read('cli/package.json')) as { engines: { node: string } }).engines;

describe.each(workflows)('%s', (file) => {
  const jobs = Object.values(workflow(file).jobs);

  test('pins each action by its hash and names its version', () => {
    const uses = read(file).match(/uses: .*$/gm) ?? [];
    const pinned =
      /^uses: ([\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|\.\/\.github\/workflows\/\S+)$/;
    expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
  });

  test('may only read, unless a job says what else it needs, and ends some time', () => {
    expect(workflow(file).permissions).toEqual({ contents: 'read' });
    const called = jobs.filter(({ uses }) => uses !== undefined).map(({ uses = '' }) => uses);
    expect(called.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const own = jobs.filter(({ uses }) => uses === undefined);
    expect(own.filter((job) => job['timeout-minutes'] === undefined)).toEqual([]);
  });

  test('runs only what is in the repository', () => {
    const runs = jobs.flatMap(({ steps = [] }) => steps.map(({ run = '' }) => run)).join('\n');
    const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> })
      .scripts;
    const named = [...runs.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const files = [...runs.matchAll(/(?:node|tsx) ([\w/.-]+\.m?[jt]s)/g)].map(
      ([, name = '']) => name,
    );
    expect(files.filter((name) => !existsSync(join(root, name)))).toEqual([]);
    const tested = [...runs.matchAll(/npm test ([a-z -]+)/g)].flatMap(([, names = '']) =>
      names.trim().split(' '),
    );
    expect(tested.filter((name) => !suites.some((suite) => suite.name === name))).toEqual([]);
    const targets = new Set(read('Makefile').match(/^[a-z-]+(?=:)/gm));
    const made = [...runs.matchAll(/(?:^|\s)make ([a-z-]+)/g)].map(([, name = '']) => name);
    expect(made.filter((name) => !targets.has(name))).toEqual([]);
  });
});

test('a job that runs suites by name installs before them the tools of the lab that they need', () => {
  const jobs = workflows.flatMap((file) => Object.values(workflow(file).jobs));
  const wordsAfter = (command: string, runs: string[]): string[] =>
    runs.flatMap((run) => (run.startsWith(command) ? run.slice(command.length).split(' ') : []));
  let seen = 0;
  for (const { steps = [] } of jobs) {
    const runs = steps.map(({ run = '' }) => run.trim());
    const named = wordsAfter('npm test ', runs);
    const needs = suites.flatMap(({ name, needs = [] }) => (named.includes(name) ? needs : []));
    seen += needs.length;
    expect(wordsAfter('lab/install.sh ', runs)).toEqual(expect.arrayContaining(needs));
  }
  expect(seen).toBeGreaterThan(0);
});

test('the jobs that others wait for exist, and CI has one that waits for all and always reports', () => {
  for (const file of workflows) {
    const { jobs } = workflow(file);
    const awaited = Object.values(jobs).flatMap(({ needs = [] }) => needs);
    expect(awaited.filter((name) => !(name in jobs))).toEqual([]);
  }
  const { passed, ...others } = workflow('.github/workflows/ci.yml').jobs;
  expect(passed).toMatchObject({ if: 'always()', needs: Object.keys(others) });
});

test('the workflow that publishes takes the tags that RELEASING.md names', () => {
  const { on } = parse(read('.github/workflows/publish.yml')) as {
    on: { push: { tags: string[] } };
  };
  const table = read('RELEASING.md').match(/`[\w-]+@\d+\.\d+\.\d+`/g) ?? [];
  const named = new Set(table.map((tag) => tag.replace(/`|@.*$/g, '')));
  expect([...named].sort()).toEqual(on.push.tags.map((tag) => tag.replace('@*', '')).sort());
});

test('each changelog has an unreleased part, sections of Keep a Changelog, and before the first release Added alone', () => {
  const all = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
  for (const folder of [
    '.',
    'cli',
    'nodes/QueueMonitor',
    'nodes/LoadTarget',
    'charts/n8n-tuned',
    'charts/n8n-load',
  ]) {
    const text = read(`${folder}/CHANGELOG.md`);
    expect(text).toContain('\n## Unreleased\n');
    const known = /^## \[?\d/m.test(text) ? all : ['Added'];
    const sections = [...text.matchAll(/^### (.*)$/gm)].map(([, name = '']) => name);
    expect(sections.filter((name) => !known.includes(name))).toEqual([]);
  }
});

test('forms for issues have a name, a description, and fields with labels', () => {
  const forms = filesIn('.github/ISSUE_TEMPLATE').filter((file) => !file.endsWith('config.yml'));
  expect(forms.length).toBeGreaterThan(1);
  for (const file of forms) {
    const form = parse(read(file)) as {
      name?: string;
      description?: string;
      body: { id?: string; attributes: { label?: string } }[];
    };
    expect({ file, ...form }).toMatchObject({
      name: expect.any(String) as string,
      description: expect.any(String) as string,
    });
    expect(form.body.filter(({ id, attributes }) => !id || !attributes.label)).toEqual([]);
  }
});

/** A tool of the lab and what it rests on, as lab/tools.sh has it. */
const TOOLS = new Map(
  [...read('lab/tools.sh').matchAll(/^tool_([\w-]+)\(\) \{\n([^]*?)\n\}$/gm)].map(
    ([, name = '', body = '']) => [
      name,
      {
        isGo: /^ {2}kind=go$/m.test(body),
        requires: /^ {2}requires='([^']*)'$/m.exec(body)?.[1]?.split(' ') ?? [],
      },
    ],
  ),
);
const builtWithGo = (name: string): boolean => {
  const tool = TOOLS.get(name);
  return name === 'all' || (tool !== undefined && (tool.isGo || tool.requires.some(builtWithGo)));
};

test('each job that installs a tool of the lab that is built with Go sets up Go before', () => {
  const steps = workflows.flatMap((file) =>
    Object.entries(workflow(file).jobs).flatMap(([job, { steps: all = [] }]) =>
      all.flatMap(({ run = '' }, index) =>
        [...run.matchAll(/lab\/install\.sh ([\w -]+)/g)]
          .filter(([, names = '']) => names.split(' ').some(builtWithGo))
          .map(() => ({
            of: `${file}: ${job}`,
            isSetUp: all
              .slice(0, index)
              .some(({ uses = '' }) => uses.startsWith('actions/setup-go@')),
          })),
      ),
    ),
  );
  expect(TOOLS.get('helm3')?.isGo).toBe(true);
  expect(steps.length).toBeGreaterThan(1);
  expect(steps.filter(({ isSetUp }) => !isSetUp)).toEqual([]);
});

test('the command, nvm and the dev container have one version of Node.js', () => {
  const [wanted = ''] = /\d+/.exec(engines.node) ?? [];
  expect(read('.nvmrc').trim()).toBe(wanted);
  const { config, error } = ts.parseConfigFileTextToJson(
    '',
    read('.devcontainer/devcontainer.json'),
  );
  expect(error).toBeUndefined();
  const { image, features } = config as {
    image: string;
    features: Record<string, { version: string }>;
  };
  expect(image).toContain(`:${wanted}-`);
  const [, go] = /install Go ([\d.]+) or later/.exec(read('lab/kinds/go.sh')) ?? [];
  expect(Object.values(features)).toEqual([{ version: go }]);
  const ofWorkflows = workflows.flatMap((file) => read(file).match(/go-version: '[^']*'/g) ?? []);
  expect(new Set(ofWorkflows)).toEqual(new Set([`go-version: '${go ?? ''}'`]));
});

test('what Renovate leaves alone is there', () => {
  const { packageRules } = JSON.parse(read('.github/renovate.json')) as {
    packageRules: { matchFileNames?: string[] }[];
  };
  const tracked = execFileSync('git', ['ls-files', 'lab'], { cwd: root, encoding: 'utf8' });
  const folders = packageRules.flatMap(({ matchFileNames = [] }) => matchFileNames);
  expect(folders.filter((glob) => !tracked.includes(glob.replace('**', '')))).toEqual([]);
});

// What Artifact Hub reads about the repository of the chart, as RELEASING.md has it pushed.
const FILE = 'charts/artifacthub-repo.yml';

/** The commented fields as somebody fills them in. */
const filledIn = read(FILE)
  .replace(/^# (?=repositoryID:|owners:| {2})/gm, '')
  .replace(/^( *(?:- )?(?:repositoryID|name|email):)$/gm, '$1 something');

test('the file for Artifact Hub has only fields that Artifact Hub knows, and no ID but one that it gave', () => {
  const { repositoryID, ...others } = (parse(read(FILE)) ?? {}) as Record<string, unknown>;
  expect(String(repositoryID ?? '')).toMatch(/^([0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12})?$/);
  expect(Object.keys(others).filter((key) => !['owners', 'ignore'].includes(key))).toEqual([]);
});

test('the file for Artifact Hub is valid once its fields are filled in', () => {
  expect(parse(filledIn)).toEqual({
    repositoryID: 'something',
    owners: [{ name: 'something', email: 'something' }],
  });
});

test('the file for Artifact Hub is pushed from where it lies, beside the chart and not in it', () => {
  const releasing = read('RELEASING.md');
  expect(releasing).toContain(`](${FILE})`);
  expect(releasing).toMatch(/cd charts && oras push \S+\/charts\/n8n-tuned:artifacthub\.io/);
});
