// Runs suites of tests, says which ran and how long their files took, and ends with a line `N passed, N failed`. A suite
// whose need is missing is skipped; in CI it has failed. A file that failed runs again once: see second-try.ts.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheFolder } from '../cli/src/lab/paths';
import {
  afterSecondTry,
  countTests,
  filesToRunAgain,
  leftFolders,
  lineOf,
  runsIn,
  sumOfTries,
  type FileReport,
  type RunWithTries,
} from './second-try';
import {
  CACHE,
  checksOf,
  isReachKnown,
  passesOf,
  reachedWithoutImport,
  suiteOf,
  suites,
  type Check,
  type Suite,
} from './suites';

const root = join(import.meta.dirname, '..');
const { CI, LONG, N8N_TEST_VERSION, N8N_TUNED_TIMES, GITHUB_STEP_SUMMARY } = process.env;
/** Most files wait for a program, so that two cores have time for three. One node of a cluster has room for the pods of three. */
const FILES_AT_ONCE = 3;

const usage = `Usage: npm test [-- --cluster | --check] [SUITE...]

Runs the suites that need no cluster, those that need one (--cluster), or those named. --check runs lint and types, and the
tests of the suite pure that a change since its last success can reach. N8N_TEST_VERSION=2.39.10 runs suites with another
n8n than the pinned one, by default those that need n8n. Suites:
${suites.map((s) => `  ${s.name.padEnd(16)} ${s.shows}`).join('\n')}
`;

function mistake(sentence: string): never {
  console.error(`${sentence} npm test -- --help lists what there is.`);
  process.exit(2);
}

function fromCommandLine() {
  try {
    const flag = { type: 'boolean', default: false } as const;
    return parseArgs({
      allowPositionals: true,
      options: { cluster: flag, check: flag, help: flag },
    });
  } catch (error) {
    return mistake(`${(error as Error).message.split('. ')[0] ?? ''}.`);
  }
}

const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(130);
  });
}

/** Its exit code. What it prints goes to `printed` if that is given, else straight to the terminal. */
function run(
  command: string,
  args: string[],
  options: { env?: object | undefined; printed?: Buffer[] } = {},
) {
  const { env = {}, printed } = options;
  const out = printed ? 'pipe' : 'inherit';
  return new Promise<number>((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', out, out],
    });
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (part: Buffer) => printed?.push(part));
    }
    child.on('error', () => {
      resolve(127);
    });
    child.on('close', (code) => {
      running.delete(child);
      resolve(code ?? 1);
    });
  });
}

/** Whether it found nothing. It prints when it has ended, so that no two that run side by side are mixed. */
async function passes({ title, command, args, env }: Check): Promise<boolean> {
  const startedMs = Date.now();
  const printed: Buffer[] = [];
  const code = await run(command, args, { env, printed });
  if (code !== 0) for (const part of printed) process.stdout.write(part);
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${title} (${seconds} s)`);
  return code === 0;
}

/** What git prints, or null if it fails or there is no git. */
function git(args: string[], env: object = {}): string | null {
  const { status, stdout } = spawnSync('git', args, {
    ...{ cwd: root, encoding: 'utf8', env: { ...process.env, ...env } },
  });
  return status === 0 ? stdout.trim() : null;
}

/** The id that git gives to the contents of this checkout, with all that is not committed. */
function contents(): string | null {
  const index = git(['rev-parse', '--path-format=absolute', '--git-path', 'index']);
  if (index === null || !existsSync(index)) return null;
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-test-'));
  const env = { GIT_INDEX_FILE: join(folder, 'index') };
  try {
    copyFileSync(index, env.GIT_INDEX_FILE);
    return git(['add', '--all'], env) === null ? null : git(['write-tree'], env);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The changed files, and those of tests that a change reaches without an import; null if all tests must run. */
function reachedBy(changed: string[] | null): string[] | null {
  if (changed === null || !isReachKnown(changed)) return null;
  const pattern = reachedWithoutImport(changed);
  const found = git(['grep', '--untracked', '-lE', pattern, '--', 'test/cli', 'test/loadtests']);
  return found === null ? null : [...changed, ...found.split('\n')];
}

/** It remembers which contents have passed, so that the next one runs only the tests that a change since then can reach. */
async function check(): Promise<boolean> {
  const file = join(root, CACHE, `passed-${process.version}`);
  const now = contents();
  const isKnown = now !== null && existsSync(file);
  const diff = ['diff-tree', '-r', '--name-only', '--no-renames', '-z'];
  const changed = isKnown
    ? (git([...diff, readFileSync(file, 'utf8'), now])
        ?.split('\0')
        .filter(Boolean) ?? null)
    : null;
  if (changed?.length === 0) {
    console.log('ok   nothing has changed since make check last passed (npm test pure runs all)');
    return true;
  }
  const results = await Promise.all(checksOf(reachedBy(changed)).map(passes));
  const hasPassed = results.every(Boolean);
  if (hasPassed && now !== null) writeFileSync(file, now);
  return hasPassed;
}

/** The engine of n8n, which tests load, needs the lab's Node.js; where it is missing, that of this process must do. */
function testNode(): string {
  const print = '. lab/env.sh && printf %s "$N8N_TUNED_NODE24"';
  const node = spawnSync('bash', ['-c', print], { cwd: root, encoding: 'utf8' }).stdout;
  return existsSync(node) ? node : process.execPath;
}

/** What Jest reports of each file; null where it ended without a report. */
async function jest(projects: Suite[], ...args: string[]): Promise<FileReport[] | null> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-test-'));
  const output = join(folder, 'result.json');
  const names = projects.map(({ name }) => name);
  try {
    await run(testNode(), [
      'node_modules/jest/bin/jest.js',
      ...['--json', '--outputFile', output, '--passWithNoTests', '--selectProjects', ...names],
      ...args,
    ]);
    if (!existsSync(output)) return null;
    return (JSON.parse(readFileSync(output, 'utf8')) as { testResults: FileReport[] }).testResults;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runJest(projects: Suite[]) {
  const files: FileReport[] = [];
  let isWhole = true;
  for (const args of passesOf(projects, FILES_AT_ONCE)) {
    const seen = await jest(projects, ...args);
    isWhole &&= seen !== null;
    files.push(...(seen ?? []));
  }
  const again = filesToRunAgain(files);
  if (again.length === 0) return { files, secondTries: [], isWhole };
  console.log(`\nrun again, alone: ${again.map((file) => relative(root, file)).join(', ')}`);
  const second = await jest(projects, '--runInBand', '--runTestsByPath', ...again);
  return { ...afterSecondTry(files, second ?? [], root), isWhole };
}

const needsN8n = ({ needs = [] }: Suite): boolean => needs.includes('n8n');
const toolOf = (need: string): string =>
  need === 'n8n' && N8N_TEST_VERSION ? `n8n@${N8N_TEST_VERSION}` : need;

/** The lab says of each tool whether it is there. */
const missingNeeds = ({ needs = [] }: Suite): string[] =>
  needs
    .map(toolOf)
    .filter(
      (tool) => spawnSync('bash', ['lab/install.sh', '--check', tool], { cwd: root }).status !== 0,
    );

interface Row {
  name: string;
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
}

function rowOf({ name }: Suite, all: FileReport[]): Row {
  const files = all.filter((file) => suiteOf(file.name) === name);
  const { passed, failed, skipped } = countTests(files);
  const ran = passed + failed > 0;
  const ms = files.reduce((sum, { startTime = 0, endTime = 0 }) => sum + endTime - startTime, 0);
  // Nothing ran, or a test was left out in CI: neither is a success.
  const failures = failed + (ran ? 0 : 1) + (CI ? skipped : 0);
  return { name, passed, failed: failures, skipped: CI ? 0 : skipped, seconds: ms / 1000 };
}

async function runSuites(chosen: Suite[], isOfAll: boolean): Promise<boolean> {
  const rows: Row[] = [];
  const ready: Suite[] = [];
  for (const suite of chosen) {
    const missing = missingNeeds(suite);
    if (missing.length === 0) ready.push(suite);
    else {
      console.log(
        `${suite.name}: missing ${missing.join(', ')} (${N8N_TEST_VERSION ? `lab/install.sh ${missing.join(' ')}` : 'make lab'} installs them)`,
      );
      const failed = CI ? 1 : 0;
      rows.push({ name: suite.name, passed: 0, failed, skipped: 1 - failed, seconds: 0 });
    }
  }
  const checked = ready.map(async ({ name, checks }) => {
    if (!checks) return [];
    const startedMs = Date.now();
    const results = await Promise.all(checks.map(passes));
    const passed = results.filter(Boolean).length;
    const seconds = (Date.now() - startedMs) / 1000;
    return [{ name, passed, failed: results.length - passed, skipped: 0, seconds }];
  });
  rows.push(...(await Promise.all(checked)).flat());
  const projects = ready.filter(({ checks }) => !checks);
  const before = readdirSync(tmpdir());
  const { files, secondTries, isWhole } =
    projects.length > 0
      ? await runJest(projects)
      : { files: [], secondTries: [] as string[], isWhole: true };
  rows.push(...projects.map((suite) => rowOf(suite, files)));

  const sum = (key: 'passed' | 'failed' | 'skipped') =>
    rows.reduce((total, row) => total + row[key], 0);
  console.log('\nsuite             passed  failed  skipped  seconds of its files');
  for (const row of rows) {
    const cells = [row.passed, row.failed, row.skipped].map((n) => String(n).padStart(8)).join('');
    console.log(`${row.name.padEnd(16)}${cells}${row.seconds.toFixed(1).padStart(10)}`);
  }
  const tests = sum('passed') + sum('failed');
  const second = `${String(secondTries.length)} of ${tests.toLocaleString('en-US')} passed on a second try`;
  for (const test of secondTries) console.log(`SECOND TRY ${test}`);
  const date = new Date().toISOString().slice(0, 10);
  const overTime = isOfAll ? `\n${kept({ date, tests, secondTries })}` : '';
  if (N8N_TUNED_TIMES) keep(N8N_TUNED_TIMES, rows, { date, tests, secondTries });
  if (GITHUB_STEP_SUMMARY) {
    appendFileSync(GITHUB_STEP_SUMMARY, [`${second}.`, ...secondTries].join('\n- ') + '\n');
  }
  const left = leftFolders(before, readdirSync(tmpdir()));
  if (left !== '') console.log(`new in ${tmpdir()}, and not removed: ${left}`);
  const skipped = sum('skipped') > 0 ? `, ${String(sum('skipped'))} skipped` : '';
  console.log(
    `\n${second}${overTime}\n${String(sum('passed'))} passed, ${String(sum('failed'))} failed${skipped}`,
  );
  return isWhole && sum('failed') === 0;
}

/** Adds a run to the list in the lab's cache, and says what its last runs say together. */
function kept(run: RunWithTries): string {
  const file = join(cacheFolder(), 'second-tries.tsv');
  mkdirSync(cacheFolder(), { recursive: true });
  appendFileSync(file, lineOf(run));
  return sumOfTries(runsIn(readFileSync(file, 'utf8')));
}

/** Lines for docs/records/times, where somebody keeps a record of them. */
function keep(file: string, rows: Row[], run: RunWithTries): void {
  const line = ({ name, seconds, passed, failed }: Row) =>
    `suite ${name}\t${seconds.toFixed(0)}\t${String(passed)} passed, ${String(failed)} failed\n`;
  appendFileSync(file, rows.map(line).join(''));
  appendFileSync(join(file, '../second-tries.tsv'), lineOf(run));
}

function suitesOf(names: string[], wantCluster: boolean): Suite[] {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) mistake(`There is no suite ${unknown.join(', ')}.`);
  if (names.length > 0) return suites.filter(({ name }) => names.includes(name));
  const wanted = suites.filter(
    (suite) => (suite.cluster === true) === wantCluster && (!N8N_TEST_VERSION || needsN8n(suite)),
  );
  const isLeftOut = ({ long }: Suite) => long === true && LONG !== '1';
  for (const { name, shows } of wanted.filter(isLeftOut)) {
    console.log(`left out: ${name} (${shows}); LONG=1 runs it`);
  }
  return wanted.filter((suite) => !isLeftOut(suite));
}

const { values, positionals } = fromCommandLine();
if (values.help) console.log(usage);
else if (values.check) {
  process.exitCode = (await check()) ? 0 : 1;
} else {
  process.exitCode = (await runSuites(
    suitesOf(positionals, values.cluster),
    positionals.length === 0,
  ))
    ? 0
    : 1;
}
