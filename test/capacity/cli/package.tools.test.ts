// The npm package, installed from its tarball in an empty folder.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { labPaths } from '../../../capacity/src/lab/paths';
import { buildCli } from '../../support/cli';
import { startKnownServer, type KnownServer } from '../../support/known-server';

jest.setTimeout(300_000);

const run = promisify(execFile);
const root = join(__dirname, '../../..');
let folder: string;
let server: KnownServer;

beforeAll(async () => {
  await buildCli();
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-installed-'));
  for (const name of ['home', 'bin', 'work']) mkdirSync(join(folder, name));
  const pack = await run(process.execPath, [join(root, 'capacity/pack.mjs'), folder]);
  const npm = ['install', '--prefer-offline', '--no-audit', '--no-fund', pack.stdout.trim()];
  await run('npm', npm, { cwd: join(folder, 'work') });
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

/** As somebody without the lab calls it, from a folder of their own. */
async function n8nTuned(...args: string[]): Promise<Said> {
  const env = {
    HOME: join(folder, 'home'),
    PATH: [join(folder, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
  };
  const cwd = join(folder, 'work');
  const program = join(cwd, 'node_modules/.bin/n8n-tuned');
  try {
    return { code: 0, ...(await run(program, args, { cwd, env })) };
  } catch (error) {
    return error as Said;
  }
}

const request = (): string[] => ['--url', server.url, '--request', 'GET /x'];

test('says how to get k6 where there is none, and that starting n8n takes a checkout', async () => {
  const { code, stderr } = await n8nTuned('run', ...request());
  expect(code).toBe(2);
  expect(stderr).toContain(
    'k6 is not here: install k6 1.8.0 or later: https://grafana.com/docs/k6',
  );
  const doctor = await n8nTuned('doctor');
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).not.toContain('install.sh');
});

test('loads what runs already, with k6 alone', async () => {
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

test('brings the workloads and the chart', async () => {
  expect((await n8nTuned('workloads')).stdout).toContain('last-node');
  const { code, stderr } = await n8nTuned('run', '--workload', 'last-node');
  expect(code).toBe(2);
  expect(stderr).toContain('from a checkout of n8n-tuned');
  const chart = join(folder, 'work/node_modules/n8n-tuned/charts/n8n-tuned');
  expect(readdirSync(chart)).toEqual(
    expect.arrayContaining(['Chart.yaml', 'templates', 'presets']),
  );
});
