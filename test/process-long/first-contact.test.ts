import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { labPaths, repositoryRoot } from '../../cli/src/lab/paths';
import type { Running } from '../../cli/src/targets/target';
import { bringUp, never, quiet, workload } from '../process/stage';

/**
 * What somebody does first: the command by npx, with an empty HOME and no checkout, against an n8n that runs.
 *
 *     FIRST_CONTACT_RECORD=docs/records/first-contact.json    keeps how long it took
 */
jest.setTimeout(600_000);

const run = promisify(execFile);
const root = repositoryRoot();
const chosen = workload('last-node');
const folder = mkdtempSync(join(tmpdir(), 'first-contact-'));
const [home, bin, work] = ['home', 'bin', 'work'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
let n8n: Running;
let tarball: string;

beforeAll(async () => {
  for (const path of [home, bin, work]) mkdirSync(path);
  symlinkSync(labPaths().k6, join(bin, 'k6'));
  const packed = await run(process.execPath, ['--import', 'tsx', 'cli/pack.ts', work], {
    cwd: root,
  });
  tarball = packed.stdout.trim();
  n8n = await bringUp({ tuning: 'throughput' }, chosen);
  await n8n.ready(chosen.requests, quiet, never());
});

afterAll(async () => {
  await n8n.down(quiet);
  rmSync(folder, { recursive: true, force: true });
});

/** By npx, and how many seconds that took. */
async function npx(...args: string[]): Promise<{ stdout: string; seconds: number }> {
  const beganMs = performance.now();
  const PATH = [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  const { stdout } = await run('npx', ['--yes', `./${basename(tarball)}`, ...args], {
    ...{ cwd: work, env: { HOME: home, PATH, npm_config_offline: 'true' } },
  }).catch((error: unknown) => {
    const { code, stdout = '', stderr = '' } = error as Partial<Record<string, string>> & object;
    // 3: on a busy machine the search may remain without a result.
    if (Number(code) === 3) return { stdout, stderr };
    throw error;
  });
  return { stdout, seconds: (performance.now() - beganMs) / 1000 };
}

test('npx finds what an n8n sustains within a budget of a minute, and writes the report', async () => {
  const loadAverageAtStart = loadavg()[0];
  const installed = await npx('--version');
  const found = await npx(
    ...['find', '--anyway', '--url', n8n.baseUrl, '--request', 'GET /webhook/load-last-node'],
    ...['--expect', 'json.headers', '--slo', 'p95<300ms', '--slo', 'errors<1%', '--budget', '60s'],
  );
  const [result = ''] = readdirSync(join(work, 'results'));
  expect(readdirSync(join(work, 'results', result))).toContain('report.html');
  expect(found.stdout).toContain('report.html');
  keep({
    loadAverageAtStart,
    packageMiB: Math.round((statSync(tarball).size / 2 ** 20) * 100) / 100,
    seconds: { npxInstallsIt: rounded(installed.seconds), find: rounded(found.seconds) },
    said: found.stdout.split('\n').filter((line) => /^(Capacity|Plan with|Limited by)/.test(line)),
  });
});

const rounded = (seconds: number): number => Math.round(seconds * 10) / 10;

function keep(seen: object): void {
  const file = process.env['FIRST_CONTACT_RECORD'];
  if (file === undefined) return;
  const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8')) as {
    version: string;
  };
  const record = {
    when: new Date().toISOString(),
    machine: { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version },
    versions: { n8n: n8n.versions.n8n, 'n8n-tuned': version },
    command:
      "npx --yes ./n8n-tuned-*.tgz find --url URL --request 'GET /webhook/load-last-node' --budget 60s",
    ...seen,
  };
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
}
