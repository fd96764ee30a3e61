#!/usr/bin/env node
// Runs suites of tests one after the other, says which ran, how long they took, and ends with
// a line `N passed, N failed`. A file that failed in a suite with needs runs again once: see second-try.mjs. A suite whose need is missing is skipped, in CI it has failed.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterSecondTry, countTests, filesToRunAgain } from './second-try.mjs';
import { passesOf, suites } from './suites.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const inCi = Boolean(process.env.CI);
const usage = `Usage: node test/run.mjs [--cluster] [--list] [suite...]

Runs the suites that need no cluster, or those named. Suites:
${suites.map((s) => `  ${s.name.padEnd(12)} ${s.shows}`).join('\n')}
`;

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('--list')) {
  console.log(usage);
  process.exit(0);
}
const wantCluster = args.includes('--cluster');
const named = args.filter((a) => !a.startsWith('--'));
const unknown = named.filter((n) => !suites.some((s) => s.name === n));
if (unknown.length > 0) {
  console.error(
    `Unknown suite ${unknown.join(', ')}: choose from ${suites.map((s) => s.name).join(', ')}.`,
  );
  process.exit(2);
}
const wanted = suites.filter((s) =>
  named.length > 0 ? named.includes(s.name) : Boolean(s.cluster) === wantCluster,
);
const isLeftOut = (s) => s.long && named.length === 0 && process.env.LONG !== '1';
const chosen = wanted.filter((s) => !isLeftOut(s));
for (const { name, shows } of wanted.filter(isLeftOut)) {
  console.log(`left out: ${name} (${shows}); LONG=1 runs it`);
}

/** Tests that failed, and passed when their file was run again. */
const flaky = [];

const running = new Set();
const stop = (signal) => {
  for (const child of running) child.kill(signal);
  process.exitCode = 130;
};
process.on('SIGINT', () => stop('SIGINT'));
process.on('SIGTERM', () => stop('SIGTERM'));

/** Its exit code. What it says goes to `said`, where that is given, else straight to the terminal. */
function run(command, commandArgs, said) {
  return new Promise((resolve) => {
    const out = said === undefined ? 'inherit' : 'pipe';
    const child = spawn(command, commandArgs, { cwd: root, stdio: ['ignore', out, out] });
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => said(part));
    child.on('error', () => resolve(127));
    child.on('close', (code) => {
      running.delete(child);
      resolve(code ?? 1);
    });
  });
}

/** One after the other, or all at once; then each speaks when it has ended, so that no two are mixed. */
async function runChecks(suite) {
  const result = { passed: 0, failed: 0, skipped: 0 };
  const check = async ([title, command, commandArgs]) => {
    const parts = [];
    const said = suite.allAtOnce ? (part) => parts.push(part) : undefined;
    const code = await run(command, commandArgs, said);
    for (const part of parts) process.stdout.write(part);
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${title}`);
    result[code === 0 ? 'passed' : 'failed'] += 1;
  };
  if (suite.allAtOnce) await Promise.all(suite.checks.map(check));
  else for (const each of suite.checks) await check(each);
  return result;
}

async function jestReport(jestArgs) {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-test-'));
  const output = join(folder, 'result.json');
  try {
    await run(testNode(), [
      'node_modules/jest/bin/jest.js',
      ...['--json', '--outputFile', output],
      ...jestArgs,
    ]);
    return JSON.parse(readFileSync(output, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runJest(suite) {
  const project = ['--selectProjects', suite.name];
  try {
    let report = { testResults: [] };
    for (const which of passesOf(suite)) {
      if (process.exitCode === 130) break;
      const { testResults } = await jestReport([...project, ...which]);
      report.testResults.push(...testResults);
    }
    const again = suite.needs && process.exitCode !== 130 ? filesToRunAgain(report) : [];
    if (again.length > 0) {
      console.log(`\nrun again, alone: ${again.map((file) => relative(root, file)).join(', ')}`);
      const second = await jestReport([...project, '--runInBand', '--runTestsByPath', ...again]);
      report = afterSecondTry(report, second, root);
      flaky.push(...report.flaky);
    }
    const { passed, failed, skipped } = countTests(report);
    return { passed, failed: failed + (inCi ? skipped : 0), skipped: inCi ? 0 : skipped };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** n8n's own engine, which tests load, needs the lab's Node; without it whatever runs this must do. */
function testNode() {
  const { stdout } = spawnSync('bash', ['-c', '. lab/env.sh && echo "$N8N_TUNED_NODE24"'], {
    cwd: root,
    encoding: 'utf8',
  });
  const node = stdout.trim();
  return existsSync(node) ? node : process.execPath;
}

/** The lab says of each tool whether it is there; its names are those of `lab/install.sh --list`. */
function missingNeeds(suite) {
  return (suite.needs ?? []).filter(
    (tool) => spawnSync('bash', ['lab/install.sh', '--check', tool], { cwd: root }).status !== 0,
  );
}

const rows = [];
for (const suite of chosen) {
  const started = Date.now();
  console.log(`\n── ${suite.name}: ${suite.shows}`);
  const missing = missingNeeds(suite);
  let result;
  if (missing.length > 0) {
    console.log(`missing: ${missing.join(', ')} (make lab installs them)`);
    result = { passed: 0, failed: inCi ? 1 : 0, skipped: inCi ? 0 : 1 };
  } else {
    result = suite.jest ? await runJest(suite) : await runChecks(suite);
    if (result.passed + result.failed === 0) result.failed = 1; // nothing ran: that is no success
  }
  rows.push({ name: suite.name, ...result, seconds: (Date.now() - started) / 1000 });
  if (process.exitCode === 130) break;
}

const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
console.log('\nsuite         passed  failed  skipped  seconds');
for (const row of rows) {
  const cells = [row.passed, row.failed, row.skipped].map((n) => String(n).padStart(8)).join('');
  console.log(`${row.name.padEnd(12)}${cells}${row.seconds.toFixed(1).padStart(10)}`);
}
// One line a suite for docs/records/times, where somebody keeps a record of them.
const timesFile = process.env.N8N_TUNED_TIMES;
if (timesFile) {
  const line = (row) =>
    `suite ${row.name}\t${row.seconds.toFixed(0)}\t${row.passed} passed, ${row.failed} failed\n`;
  appendFileSync(timesFile, rows.map(line).join(''));
}
for (const test of flaky) console.log(`FLAKY ${test}`);
const flakyPart = flaky.length > 0 ? `, ${flaky.length} flaky (passed when run again)` : '';
const skippedPart = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${flakyPart}${skippedPart}`);
if (sum('failed') > 0 && process.exitCode !== 130) process.exitCode = 1;
