// The same as test/cluster/only-own.test.ts, at every stage at which a call can end, with Helm 3 and with Helm 4.
import { buildCli } from '../support/cli';
import { createNamespace, until, type Namespace, type Outcome } from '../support/cluster';
import { ourNamespaces, resultsFolder, sentenceOf } from '../support/cluster-command';
import { Beside, installing, type Call } from '../support/beside-strangers';
import { Strangers } from '../support/strangers';

jest.setTimeout(900_000);

const { path: out, written, remove } = resultsFolder();
beforeAll(buildCli);
afterAll(remove);

describe.each([3, 4] as const)('with Helm %i', (version) => {
  let space: Namespace;
  let strangers: Strangers;
  let before: Record<string, string>;
  let command: Beside;
  beforeAll(async () => {
    command = new Beside(out, version);
    space = await createNamespace(`stages-${String(version)}`);
    strangers = new Strangers(space);
    // It is of another release, and by the labels of the one that a user may name.
    await strangers.put('theirs', 'production');
    await strangers.put('n8n', 'staging');
    before = await strangers.seen();
  });
  afterAll(() => space?.remove());

  /** Nothing of theirs has changed, and nothing of ours is there. */
  async function expectOnlyTheirs(): Promise<void> {
    expect(await strangers.seen()).toEqual(before);
    expect(await strangers.others()).toEqual([]);
    expect(await ourNamespaces()).toBe('');
  }
  afterEach(expectOnlyTheirs);

  const start = (...args: string[]): Call => command.run('--namespace', space.name, ...args);
  const failed = async (...args: string[]): Promise<string> => {
    const ended: Outcome = await start(...args).ended;
    expect([2, 3]).toContain(ended.code);
    return sentenceOf(ended);
  };
  const values = (text: string): string[] => {
    const name = `${String(version)}-${String(text.length)}.yaml`;
    return ['--values', written(name, text)];
  };

  test.each(['production', 'staging'])('the name %s is taken by whoever used it', async (name) => {
    expect(await failed('--release', name)).toMatch(
      `has objects of another n8n instance named '${name}' (ConfigMap`,
    );
  });

  test('an object that has a name that the chart would use is in the way', async () => {
    expect(await failed(...values('fullnameOverride: n8n'))).toMatch(
      /has (objects of another n8n instance|a \S+ 'n8n')/,
    );
  });

  test.each<[string, string[], RegExp]>([
    ['the chart refuses the values', values('noSuchValue: 1'), /^the chart rejects th\w+ values/],
    [
      'the load generator does not start',
      ['--generator-image', 'quay.io/no/such:1'],
      /^the load generator does not start/,
    ],
    [
      'a hook does not end',
      [...values('pod: { nodeSelector: { no: such-node } }'), '--deploy-timeout', '30s'],
      /hook did not succeed|was not ready within 30 s/,
    ],
    [
      'the pods never become ready',
      [...values('persistence: { storageClass: absent }'), '--deploy-timeout', '60s'],
      /was not ready within 60 s/,
    ],
    [
      'no response is the expected one',
      ['--duration', '5s', '--request', 'GET /webhook/none', '--ready', '15s'],
      /404|did not get its expected response/,
    ],
  ])('it is so when %s', async (_, args, sentence) => {
    expect(await failed(...args)).toMatch(sentence);
  });

  test('a run to its end leaves nothing', async () => {
    const { stdout, stderr } = await start('--duration', '8s', '--slo', 'errors<50%').ended;
    if (stdout === '') throw new Error(stderr);
  });

  const STAGES = {
    'in the middle of the install': () => installing(space.name),
    'while the pods come up': (call: Call) =>
      until('pods that are waited for', async () => /waiting (for|until)/.test(call.said())),
    'under load': () => {
      const known = command.loads().length;
      return until('a load', async () => command.loads().length > known, 400_000);
    },
  };

  test.each(Object.keys(STAGES) as (keyof typeof STAGES)[])('Ctrl-C %s', async (stage) => {
    const call = start('--duration', '120s');
    await STAGES[stage](call);
    call.child.kill('SIGINT');
    expect((await call.ended).code).not.toBe(0);
  });

  test.each(Object.keys(STAGES) as (keyof typeof STAGES)[])(
    'clean removes its own alone after kill -9 %s',
    async (stage) => {
      const call = start('--duration', '120s');
      await STAGES[stage](call);
      call.child.kill('SIGKILL');
      await call.ended;
      expect(await strangers.seen()).toEqual(before);
      expect(await command.clean()).toMatch(
        new RegExp(`^removed the release n8n-[0-9a-f]{8} in the namespace ${space.name} `, 'm'),
      );
      await expectOnlyTheirs();
      expect(await command.clean()).toBe('nothing was left behind.\n');
    },
  );
});
