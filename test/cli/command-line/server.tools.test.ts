/** The target `server` in the commands that measure, with k6. Few requests: what is shown does not depend on rates. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRecord } from '../../../cli/src/record/run-record';
import { freePort } from '../../../cli/src/targets/process/ports';
import {
  buildCli,
  endStartedClis,
  k6Of,
  recordIn,
  runCli,
  runFolder,
  startCli,
  type CliRun,
} from '../../support/cli';
import { readWholeRun } from '../../support/read-run';
import { until } from '../../support/wait';

jest.setTimeout(180_000);

const HTTP = join(__dirname, '../../support/servers/http.cjs');
let out: string;
let port: number;
let url: string;

beforeAll(buildCli);

beforeEach(async () => {
  out = mkdtempSync(join(tmpdir(), 'server-runs-'));
  port = await freePort();
  url = `http://127.0.0.1:${String(port)}`;
});

afterEach(() => {
  endStartedClis();
  rmSync(out, { recursive: true, force: true });
});

const command = (env = ''): string => `${env} PORT=${String(port)} '${process.execPath}' '${HTTP}'`;

const order = (env = ''): string[] => [
  ...['--command', command(env), '--url', url, '--expect', 'json.ok==true', '--out', out],
];

const isFree = (): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true,
  );

/** The run has its folder once the server responds. */
const loaded = ({ child }: CliRun): Promise<unknown> =>
  until('load', () => runFolder(out) !== null && k6Of(child.pid ?? 0) !== null);

test('run starts it, loads its URL, samples each of its processes, and ends it', async () => {
  const { code, stdout } = await runCli([
    ...[
      'run',
      ...order('WORKERS=2'),
      '--rate',
      '20',
      '--duration',
      '3s',
      '--warmup',
      '1s',
      '--json',
    ],
  ]);
  // 3: on a machine that stalls, the load may be late, and the run invalid.
  expect([0, 3]).toContain(code);
  const record = JSON.parse(stdout) as RunRecord & { folder: string };
  expect(record.target).toMatchObject({ kind: 'server', url, server: { url } });
  expect(record.workload.title).toBe('GET /');
  expect(record.topology).toBeNull();
  expect(record.summary.errors.requests).toBe(0);
  expect(record.summary.roles.map(({ role }) => role)).toContain('server');
  expect(record.summary.cpuMillisecondsPerRequest).toBeGreaterThan(0);
  const { samples } = await readWholeRun(record.folder);
  const own = samples.filter(({ role, metric }) => role === 'server' && metric === 'rssMiB');
  // The shell, the parent and both workers; or without the shell, where it becomes the parent.
  expect(new Set(own.map(({ instance }) => instance)).size).toBeGreaterThanOrEqual(3);
  const log = record.files.logs.find((file) => file.includes('server'));
  expect(log).toBeDefined();
  expect(await isFree()).toBe(true);
});

test('a workload file says what it is loaded with', async () => {
  const file = join(out, 'order.yaml');
  const workload = {
    ...{ name: 'order', title: 'An order', stresses: 'The desk.', answers: 'when-done' },
    request: { method: 'GET', path: '/', headers: { connection: 'close' } },
    response: { expect: ['json.ok==true'] },
  };
  writeFileSync(file, JSON.stringify(workload));
  const { code, stdout } = await runCli([
    ...['run', '--command', command(), '--url', url, '--workload', file, '--out', out],
    ...['--rate', '10', '--duration', '2s', '--warmup', '0s', '--json'],
  ]);
  expect([0, 3]).toContain(code);
  const { workload: recorded, summary } = JSON.parse(stdout) as RunRecord;
  expect(recorded.name).toBe('order');
  expect(summary.errors.requests).toBe(0);
  expect(summary.generator.newConnections).toBe(summary.offered.requests);
});

test('an end in the middle of a run is what the verdict names first', async () => {
  const run = startCli([
    ...[
      'run',
      ...order(),
      '--rate',
      '5',
      '--duration',
      '6s',
      '--warmup',
      '1s',
      '--slo',
      'errors<50%',
    ],
  ]);
  await loaded(run);
  await fetch(`${url}/end`);
  const { code } = await run.ended;
  expect(code).toBe(1);
  const { verdict, events } = recordIn(runFolder(out) ?? '');
  expect(events.map(({ text }) => text)).toContain('server ended: exit code 7');
  expect(verdict.outcome).toBe('not sustained');
  expect(verdict.sentence).toMatch(/^The server did not sustain .*: server ended: exit code 7/);
});

test('Ctrl-C in the middle of a load leaves no server behind', async () => {
  const run = startCli(['run', ...order(), '--rate', '5', '--duration', '10m']);
  await loaded(run);
  run.child.kill('SIGINT');
  expect((await run.ended).code).toBe(3);
  expect(await isFree()).toBe(true);
});

test('a sweep has servers as cells; one that crashes is a result', async () => {
  const plan = join(out, 'plan.yaml');
  const cells = [command(), 'echo has no config; exit 4'];
  writeFileSync(
    plan,
    [
      'measure: { profile: closed, clients: 2, duration: 1s, warmup: 1s, drain: 5s }',
      'recorded: [command]',
      `fixed: { url: '${url}' }`,
      `dimensions: { command: ${JSON.stringify(cells)} }`,
    ].join('\n'),
  );
  const { code, stdout } = await runCli([
    ...['sweep', '-f', plan, '--out', out, '--json', '--anyway'],
  ]);
  expect(code).toBe(0);
  const sweep = JSON.parse(stdout) as {
    cells: {
      cell: { command: string };
      isControl: boolean;
      outcome: string;
      sentence: string;
      figures: { memoryMiB: number | null };
    }[];
  };
  const of = (wanted: string | undefined) =>
    sweep.cells.filter(({ cell, isControl }) => cell.command === wanted && !isControl);
  expect(of(cells[0])[0]?.figures.memoryMiB).toBeGreaterThan(30);
  expect(of(cells[1])[0]).toMatchObject({
    outcome: 'crashed',
    sentence: expect.stringContaining('exit code 4; its output ends with: has no config'),
  });
  expect(readFileSync(join(out, 'plan', 'report.md'), 'utf8')).toContain('has no config');
});

describe('on a machine that something else uses', () => {
  let neighbour: ChildProcess;

  beforeEach(() => {
    neighbour = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  });

  afterEach(() => {
    neighbour.kill('SIGKILL');
  });

  const sides = (): string[] =>
    ['a', 'b'].map((name) => {
      const file = join(out, `${name}.yaml`);
      writeFileSync(file, `command: ${JSON.stringify(command())}\nurl: ${url}\n`);
      return file;
    });

  const plan = (): string => {
    const file = join(out, 'plan.yaml');
    writeFileSync(
      file,
      `measure: { profile: closed, clients: 1, duration: 1s, warmup: 0s }\nfixed: { command: ${JSON.stringify(command())}, url: '${url}' }\ndimensions: { cpuMillicores: [500] }\nrecorded: [command]\n`,
    );
    return file;
  };

  const values = (): string => {
    const file = join(out, 'values.yaml');
    writeFileSync(file, 'tuning: { profile: default }\n');
    return file;
  };

  test.each([
    ['compare', () => [...sides(), '--vus', '1', '--duration', '1s']],
    ['sweep', () => ['-f', plan()]],
    [
      'recommend',
      () => [
        ...['--values', values(), '--prove', '--workload', 'last-node'],
        ...['--rate', '1', '--slo', 'p95<2s'],
      ],
    ],
  ])('%s says so, measures nothing and leaves nothing', async (name, more) => {
    const words = more();
    const before = readdirSync(out);
    const { code, stderr } = await runCli([name, ...words, '--out', join(out, 'results')]);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(
        /this machine is not quiet, so no load was generated\. .* with --anyway\.\n$/,
      ),
    ]);
    expect(readdirSync(out)).toEqual(before);
  });
});

test('compare refuses two servers that would get different requests', async () => {
  const sides = ['one', 'two'].map((name) => {
    const file = join(out, `${name}.yaml`);
    writeFileSync(file, `command: x\nurl: ${url}/${name}\n`);
    return file;
  });
  const { code, stderr } = await runCli(['compare', ...sides]);
  expect(stderr).toContain(
    '(GET /one, and GET /two): use --request to send the same request to both.',
  );
  expect(code).toBe(2);
});

test.each([
  [['--command', 'x'], '--target server requires --url'],
  [
    ['--command', 'x', '--url', 'http://127.0.0.1:1', '--workers', '2'],
    '--workers works only with --target process, container or kubernetes, not with --target server',
  ],
  [
    ['--command', 'x', '--url', 'http://127.0.0.1:1', '--workload', 'cpu'],
    '--workload works only with n8n',
  ],
  [['--command', 'x', '--target', 'process'], '--command works only with --target server'],
])('%j is a mistake, told in one sentence', async (args, sentence) => {
  const { code, stderr } = await runCli(['run', ...args]);
  expect(stderr).toContain(sentence);
  expect(code).toBe(2);
});
