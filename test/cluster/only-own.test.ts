// A namespace with an object of somebody else of every kind that the command makes: what the command does with them is nothing.
import { buildCli } from '../support/cli';
import { createNamespace, type Namespace } from '../support/cluster';
import { resultsFolder, sentenceOf } from '../support/cluster-command';
import { Beside, installing } from '../support/beside-strangers';
import { Strangers } from '../support/strangers';

jest.setTimeout(600_000);

const { path: out, remove } = resultsFolder();
let space: Namespace;
let strangers: Strangers;
let before: Record<string, string>;
let command: Beside;
beforeAll(async () => {
  buildCli();
  command = new Beside(out, 3);
  space = await createNamespace('only-own');
  strangers = new Strangers(space);
  await strangers.put('theirs', 'production');
  before = await strangers.seen();
});
afterAll(async () => {
  remove();
  await space?.remove();
});

afterEach(async () => {
  expect(await strangers.seen()).toEqual(before);
  expect(await strangers.others()).toEqual([]);
});

test('a release name that objects of others have is refused, and they are named', async () => {
  const call = command.run('--namespace', space.name, '--release', 'production');
  const { code, stderr } = await call.ended;
  expect(sentenceOf({ stderr })).toMatch(
    /^the namespace \S+ has objects of another n8n instance named 'production' \(ConfigMap theirs, PersistentVolumeClaim theirs, .* more\), .* remove --release\.$/,
  );
  expect(code).toBe(2);
});

test('a run to its end leaves them as they were, and nothing of its own', async () => {
  const { stdout, stderr } = await command.run(
    ...['--namespace', space.name, '--duration', '8s', '--slo', 'errors<50%'],
  ).ended;
  if (stdout === '') throw new Error(stderr);
});

test('what a call that was killed in the middle of an install left is removed by clean', async () => {
  const call = command.run('--namespace', space.name, '--duration', '60s');
  await installing(space.name);
  call.child.kill('SIGKILL');
  await call.ended;
  expect(await command.clean()).toMatch(
    new RegExp(`^removed the release n8n-[0-9a-f]{8} in the namespace ${space.name} `, 'm'),
  );
});
