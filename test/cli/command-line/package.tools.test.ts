// The npm package, installed from its tarball in an empty folder, with an empty HOME and no registry.
import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { labPaths } from '../../../cli/src/lab/paths';
import { startKnownServer, type KnownServer } from '../../support/known-server';

jest.setTimeout(300_000);

const run = promisify(execFile);
const root = join(__dirname, '../../..');
let folder: string;
let tarball: string;
let server: KnownServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-installed-'));
  for (const name of ['home', 'bin', 'work']) mkdirSync(join(folder, name));
  const pack = await run(process.execPath, ['--import', 'tsx', 'cli/pack.ts', folder], {
    cwd: root,
  });
  tarball = pack.stdout.trim();
  const npm = ['install', '--offline', '--no-audit', '--no-fund', tarball];
  await run('npm', npm, { cwd: join(folder, 'work'), env: environment() });
  server = await startKnownServer({ latencyMs: 20 });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** The environment of somebody without the lab, whose npm has no cache. */
const environment = (): Record<string, string> => ({
  HOME: join(folder, 'home'),
  PATH: [join(folder, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
  // Nobody waits for the credentials of a machine at Amazon.
  AWS_EC2_METADATA_DISABLED: 'true',
});

/** From a folder of their own. */
async function n8nTuned(...args: string[]): Promise<Said> {
  const env = environment();
  const cwd = join(folder, 'work');
  const program = join(cwd, 'node_modules/.bin/n8n-tuned');
  try {
    return { code: 0, ...(await run(program, args, { cwd, env })) };
  } catch (error) {
    return error as Said;
  }
}

const request = (): string[] => ['--url', server.url, '--request', 'GET /x'];

const installed = (): string => join(folder, 'work/node_modules/n8n-tuned');

test('the package needs no other package, and stays small', async () => {
  expect(readdirSync(join(folder, 'work/node_modules'))).toEqual([
    '.bin',
    '.package-lock.json',
    'n8n-tuned',
  ]);
  const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8')) as {
    version: string;
  };
  expect(await n8nTuned('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
  expect(statSync(tarball).size).toBeLessThan(3 * 1024 * 1024);
});

test('the package carries the licences of what it brings', () => {
  const licences = readFileSync(join(installed(), 'dist/LICENSES.txt'), 'utf8');
  for (const name of ['@aws-sdk/client-s3', '@kubernetes/client-node', 'commander', 'ioredis']) {
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'));
  }
});

test('the package loads what talks to Kubernetes and to S3 from what it brings', async () => {
  const cluster = await n8nTuned('doctor', '--target', 'kubernetes', '--kubeconfig', 'none.yaml');
  expect(cluster.stdout + cluster.stderr).toContain('none.yaml cannot be read as a kubeconfig');
  const { code, stderr } = await n8nTuned('run', ...request(), '--s3', 's3://bucket');
  expect(code).toBe(2);
  expect(stderr).toContain('--s3 requires credentials: set AWS_ACCESS_KEY_ID');
});

test('the package says how to get k6 where there is none, and that starting n8n takes a checkout', async () => {
  const { code, stderr } = await n8nTuned('run', ...request());
  expect(code).toBe(2);
  expect(stderr).toContain(
    'k6 is not installed: install k6 1.8.0 or later: https://grafana.com/docs/k6',
  );
  const doctor = await n8nTuned('doctor');
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).not.toContain('install.sh');
});

test('the package loads what runs already, with k6 alone', async () => {
  symlinkSync(labPaths().k6, join(folder, 'bin/k6'));
  expect((await n8nTuned('doctor')).code).toBe(0);
  const { code, stdout } = await n8nTuned(
    ...['run', ...request(), '--rate', '20', '--duration', '3s', '--warmup', '0s'],
    ...['--slo', 'p50<5s', '--json'],
  );
  // 3: on a busy machine the generator may have been late.
  expect([0, 3]).toContain(code);
  const { summary } = JSON.parse(stdout) as { summary: { achieved: { requests: number } } };
  expect(summary.achieved.requests).toBeGreaterThan(0);
  expect(server.seen.right).toBeGreaterThanOrEqual(summary.achieved.requests);
  const [result] = readdirSync(join(folder, 'work/results'));
  expect(readdirSync(join(folder, 'work/results', result ?? ''))).toContain('report.html');
});

test('the package brings the workloads and the chart', async () => {
  expect((await n8nTuned('workloads')).stdout).toContain('last-node');
  const { code, stderr } = await n8nTuned('run', '--workload', 'last-node');
  expect(code).toBe(2);
  expect(stderr).toContain('requires a checkout of n8n-tuned');
  const chart = join(installed(), 'charts/n8n-tuned');
  expect(readdirSync(chart)).toEqual(
    expect.arrayContaining(['Chart.yaml', 'templates', 'presets']),
  );
  expect(readdirSync(join(chart, '../n8n-load/files'))).toContain('workflows');
});
