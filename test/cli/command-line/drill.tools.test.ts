import { buildCli, runCli } from '../../support/cli';

/** What `drill` says before it starts anything. */

beforeAll(buildCli);

test.each([
  [['kill-nothing'], "there is no fault 'kill-nothing': choose one of kill-worker, kill-main,"],
  [
    ['kill-worker'],
    'the topology has nothing that kill-worker could affect: add --mode queue --workers 2.',
  ],
  [['kill-webhook', '--workers', '2'], 'could affect: add --mode queue --workers 1 --webhooks 2.'],
  [
    ['kill-main', '--for', '5s'],
    'kill-main is instantaneous: remove --for, or repeat the fault with --every.',
  ],
  [['kill-main', '--every', '1m'], 'during --for: add a --for that is longer than --every.'],
  [['kill-main', '--every', '1m', '--for', '30s'], 'add a --for that is longer than --every.'],
  [
    ['stop-redis', '--workers', '2', '--every', '30s', '--for', '5m'],
    'stop-redis lasts 30s each time, so with --every 30s the repetitions would overlap: use a longer --every.',
  ],
  [
    ['stop-redis+kill-worker', '--workers', '2', '--every', '20s', '--for', '5m'],
    'lasts 30s each time, so with --every 20s the repetitions would overlap: use a longer --every.',
  ],
  [
    ['stop-redis', '--workers', '2', '--every', '5m', '--for', '1m'],
    'repeats stop-redis during --for: add a --for that is longer than --every.',
  ],
  [
    ['soak', '--workers', '2', '--every', '20m', '--for', '1h'],
    'soak already injects one fault after another: remove --every.',
  ],
  [['kill-main', '--promise', 'fast'], "'fast' is not a valid promise: use a form such as lost=0"],
  [
    ['kill-main', '--recover'],
    '--recover uses the queue to find lost executions: add --mode queue',
  ],
  [
    ['kill-worker', '--workers', '2', '--recover-age', '5m'],
    '--recover-age works only with --recover',
  ],
  [
    ['kill-worker', '--workers', '2', '--recover', '--recover-age', '5m'],
    '--recover-age is 300s, but recovery has only the time of --wait after the load, 150s',
  ],
  // Before the first one begins.
  [['all', '--promise', 'fast'], "'fast' is not a valid promise: use a form such as lost=0"],
  [
    ['rolling-upgrade'],
    'rolling-upgrade cannot be injected with --target process: it replaces pods, which exist only in a cluster;',
  ],
  [
    ['kill-worker', '--target', 'kubernetes'],
    'the topology has nothing that kill-worker could affect: add --mode queue --workers 2.',
  ],
  [
    ['all', '--target', 'kubernetes', '--existing', '--namespace', 'n8n'],
    'drill all cannot be used here, because every fault changes resources that the drill deploys itself; for an n8n instance that is already running, use custom with your own commands.',
  ],
])('%j is a mistake, told in one sentence', async (args, sentence) => {
  const { code, stderr } = await runCli(['drill', ...args]);
  expect(stderr).toContain(sentence);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(code).toBe(2);
});

test.each(['all', 'kill-main'])(
  'drill %s takes no target whose processes it may not end',
  async (what) => {
    const { code, stderr } = await runCli(['drill', what, '--target', 'url']);
    expect(stderr).toContain(
      'changes resources that the drill deploys itself; for an n8n instance that is already running, use custom with your own commands',
    );
    expect(code).toBe(2);
  },
);

test('drill list names every fault with what is promised, as text and as JSON', async () => {
  const { code, stdout } = await runCli(['drill', 'list']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^kill-worker +SIGKILL of one worker$/m);
  expect(stdout).toMatch(/^restart-postgres .*starts again\n? +\(planned\)$/m);
  expect(stdout).toMatch(
    /these\s+promises:\s+lost=0,\s+failed=0,\s+repeated=0,\s+running=0,\s+recover<60s\s+for\s+an\s+accident/,
  );
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  const json = await runCli(['drill', 'list', '--json']);
  expect(JSON.parse(json.stdout)).toContainEqual({
    ...{
      name: 'stop-redis',
      title: 'Redis is down for a while, and keeps its data',
      kind: 'accident',
    },
    ...{ defaultSeconds: 30, promise: 'lost=0,failed=0,repeated=0,running=0,recover<60s' },
    targets: ['process', 'container', 'kubernetes'],
  });
});
