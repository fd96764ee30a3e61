import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSweepPlan } from '../../../../cli/src/features/sweep/plan/plan';
import { SweepFolder } from '../../../../cli/src/features/sweep/folder';
import { buildCli, endStartedClis, runCli } from '../../../support/cli';

const ROOT = join(__dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'sweep-command-'));
const CLOSED = 'measure: { profile: closed, clients: 1, duration: 5s }\n';
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

beforeAll(buildCli);
afterEach(endStartedClis);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A mistake of the user's: one sentence a line, no stack, exit code 2. */
async function refused(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).not.toContain('    at ');
  return stderr;
}

describe('sweep refuses', () => {
  test('a plan that is not there', async () => {
    expect(await refused(['sweep', '-f', join(folder, 'none.yaml')])).toContain('cannot be read');
  });

  test('a wrong plan, with its line', async () => {
    const plan = file('wrong.yaml', 'slo: [p95<1s]\ndimensions:\n  workers: [many]\n');
    expect(await refused(['sweep', '-f', plan])).toContain(
      'wrong.yaml:3: dimensions.workers.0 is "many": expected a whole number',
    );
  });

  test('a plan of which nothing is possible', async () => {
    const plan = file('never.yaml', 'slo: [p95<1s]\ncells: [{ workers: 2 }]\n');
    expect(await refused(['sweep', '-f', plan, '--out', folder])).toContain(
      'no cell of the plan can be measured here: only queue mode has workers',
    );
  });

  test('a folder with a sweep of another plan', async () => {
    const text = 'slo: [p95<1s]\ncells: [{ mode: regular }]\n';
    const plan = parseSweepPlan(text, 'same.yaml');
    new SweepFolder(join(folder, 'same')).begin({
      ...{ schemaVersion: 1, kind: 'sweep', id: 'x', name: 'same', title: 'same', startedAt: '' },
      ...{ command: [], plan, steps: [], skipped: [], estimatedSeconds: 0 },
      machine: { cpu: '', cores: 1, memoryMiB: 1, os: '', node: '' },
    });
    const other = file('same.yaml', text.replace('1s', '2s'));
    expect(await refused(['sweep', '-f', other, '--out', folder])).toContain('of another plan');
  });
});

test('a workload file of the plan lies beside the plan, wherever the command is run', async () => {
  file(
    'order.yaml',
    [
      'name: order\ntitle: An order\nstresses: The order desk.',
      'request: { method: POST, path: /order }',
      "response: { expect: ['status==200'] }\nanswers: when-done\n",
    ].join('\n'),
  );
  const plan = file(
    'own.yaml',
    `${CLOSED}fixed: { workload: ./order.yaml }\ndimensions: { clients: [1, 2] }\n`,
  );
  const { code, stdout } = await runCli(['sweep', '-f', plan, '--out', folder, '--dry-run']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('workload=./order.yaml')]);
});

test('a plan with a secret is refused, as it would stand in the record', async () => {
  const plan = file('secret.yaml', `${CLOSED}dimensions: { env.N8N_ENCRYPTION_KEY: [abc, def] }\n`);
  const said = await refused(['sweep', '-f', plan, '--out', folder]);
  expect(said).toContain('env.N8N_ENCRYPTION_KEY of the plan may contain a secret');
  expect(said).not.toContain('abc');
});

describe('servers of a plan at public addresses', () => {
  // TCP connects to neither a multicast nor the broadcast address: nothing is sent there.
  const [HERE, ONE, OTHER] = ['127.0.0.1:9', '224.0.0.1:9', '255.255.255.255:9'];
  const mark = join(folder, 'started');
  const cells = [HERE, ONE, OTHER, `${ONE}/other`]
    .map((place) => `{ command: 'touch ${mark}', url: 'http://${place}' }`)
    .join(', ');
  const sweep = (...words: string[]) =>
    runCli([
      ...[
        'sweep',
        '-f',
        file('servers.yaml', `${CLOSED}recorded: [command]\ncells: [${cells}]\n`),
        '--out',
        folder,
      ],
      ...words,
    ]);

  test('are asked for in one question before the first cell, and nothing begins without an answer', async () => {
    const { code, stdout, stderr } = await sweep('--anyway');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(
      `${ONE} and ${OTHER} are neither this machine nor private addresses, and they would receive requests from 1 client, `,
    );
    expect(stderr).toMatch(/, in each of 3 cells, and there is no terminal to ask: add --yes /);
    expect([mark, join(folder, 'servers')].filter(existsSync)).toEqual([]);
  });

  test('are not asked for with --dry-run, which loads nothing, or with --yes', async () => {
    expect((await sweep('--dry-run')).code).toBe(0);
    expect(existsSync(mark)).toBe(false);
    const { stderr } = await sweep('--anyway', '--yes');
    expect(stderr).not.toContain('to ask');
    expect(existsSync(mark)).toBe(true);
  });
});

describe('predict and recommend refuse', () => {
  test.each([
    [['predict', '--at', '4', '--from', '/nowhere'], 'there is no folder /nowhere'],
    [
      ['predict', '--at', 'many', '--from', '.'],
      "argument 'many' is invalid. It must be a number above 0",
    ],
    [
      ['predict', '--at', '4', '--over', 'mains'],
      "argument 'mains' is invalid. Allowed choices are",
    ],
    [['recommend'], 'without --from, recommend runs its own searches, which need --rate and --slo'],
    [['recommend', '--from', '/nowhere'], 'there is no folder /nowhere'],
    [['recommend', '--values', 'v.yaml'], '--values requires --prove'],
    [
      ['recommend', '--values', '/no.yaml', '--prove', '--rate', '1', '--slo', 'p95<1s'],
      'cannot be read as values',
    ],
  ])('%j', async (args, sentence) => {
    expect(await refused(args)).toContain(sentence);
  });
});

test.each([
  ['in a checkout by its short path', ROOT, 'charts/n8n-tuned'],
  ['elsewhere by its full one', folder, join(ROOT, 'charts/n8n-tuned')],
])(
  'recommend says how to install what it wrote, with the chart named %s',
  async (_, cwd, chart) => {
    const searches = join(ROOT, 'studies/capacity/results.jsonl.gz#last-node/find');
    const values = join(folder, 'values.yaml');
    const args = ['recommend', '--from', searches, '--write', values];
    const { code, stdout } = await runCli(args, {}, cwd);
    const line = `/s: helm install n8n ${chart} --values ${values}\n`;
    expect([code, stdout]).toEqual([0, expect.stringContaining(line)]);
  },
);
