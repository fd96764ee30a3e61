/** What the user is asked, on a real terminal: `script` runs the command on one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCli, runCli } from '../../support/cli';
import { eventually } from '../../support/wait';

jest.setTimeout(60_000);

/** An address for documentation (RFC 5737), and a port that fetch() refuses to use: not one byte is sent there. */
const HOST = '198.51.100.1:9';
const ARGS = [
  ...['run', '--url', `http://${HOST}`, '--request', 'GET /webhook/x', '--stop-if', 'never'],
  ...['--rate', '2', '--duration', '1s', '--ready', '1s'],
];
const CLI = join(__dirname, '../../../cli/dist/cli.js');

beforeAll(buildCli);

/** What the user sees, and how the command ends after these keys. */
async function answered(
  keys: string,
  args = ARGS,
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: unknown; screen: string }> {
  const words = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(' ');
  const terminal = spawn('script', ['--quiet', '--return', '--command', words, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  let screen = '';
  terminal.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()));
  const ended = once(terminal, 'close');
  try {
    await eventually(
      () => /(type the names? of the hosts?:|N\]) /.test(screen) || terminal.exitCode !== null,
    );
    terminal.stdin.write(keys);
    const [code] = (await ended) as unknown[];
    return { code, screen };
  } finally {
    terminal.kill('SIGKILL');
  }
}

const REFUSED = `n8n-tuned: ${HOST} was not load-tested.`;
/** What the command says when it begins to look at the host. */
const BEGUN = 'waiting until GET /webhook/x gets its expected respons';

test('the question names the host and the load, and the name of the host agrees to it', async () => {
  const { screen } = await answered(`${HOST}\r`);
  expect(screen).toContain(
    `${HOST} is neither this machine nor a private address, and it would receive up to 2 requests per second`,
  );
  expect(screen).toContain(BEGUN);
  expect(screen).not.toContain(REFUSED);
});

test.each([
  ['another word', 'yes\r'],
  ['an empty line', '\r'],
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s leaves the host alone, in one sentence', async (_name, keys) => {
  const { code, screen } = await answered(keys);
  const lines = screen.split('type the name of the host: ')[1]?.split(/\r?\n/) ?? [];
  expect(lines.slice(1).filter((line) => line !== '')).toEqual([REFUSED]);
  expect(screen).not.toContain(BEGUN);
  expect(code).toBe(2);
});

test('a sweep asks once for all hosts of its cells, and their names agree to it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ask-'));
  // TCP connects to neither a multicast nor the broadcast address: nothing is sent there.
  const hosts = ['224.0.0.1:9', '255.255.255.255:9'];
  const cells = hosts.map((host) => `{ command: exit 7, url: 'http://${host}' }`).join(', ');
  const plan = join(folder, 'plan.yaml');
  const measure = '{ profile: closed, clients: 1 }';
  writeFileSync(plan, `measure: ${measure}\nrecorded: [command]\ncells: [${cells}]\n`);
  const args = ['sweep', '-f', plan, '--out', folder, '--anyway'];
  try {
    const refused = await answered(`${hosts[0] ?? ''}\r`, args);
    expect(refused.screen).toContain(`n8n-tuned: ${hosts.join(' and ')} were not load-tested.`);
    expect(refused.code).toBe(2);
    const { screen } = await answered(`${hosts.join(', ')}\r`, args);
    expect(screen.match(/To load-test them/g)).toHaveLength(1);
    expect(screen.match(/the server exited before/g)?.length).toBeGreaterThanOrEqual(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('without a terminal nobody is asked, nothing is loaded, and the sentence names --yes', async () => {
  const { code, stderr } = await runCli(ARGS);
  expect(stderr).toMatch(
    /there is no terminal to ask: add --yes if you are allowed to load-test it\.\n$/,
  );
  expect(stderr).not.toContain(BEGUN);
  expect(code).toBe(2);
});

describe('an n8n that is not installed', () => {
  const VERSION = '2.39.10';
  const FIND = ['find', '--n8n', VERSION, '--workload', 'last-node', '--anyway'];
  const QUESTION = `Install n8n ${VERSION} now (about 4 minutes)? [y/N]`;
  const SENTENCE = /n8n 2\.39\.10 is not installed in \S+: run n8n-tuned n8n install 2\.39\.10\./;
  /** There is no Node.js for it either, which is looked for next. */
  const GOES_ON = 'node24 is not installed';

  let folder: string;
  let env: NodeJS.ProcessEnv;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ask-install-'));
    const cache = join(folder, 'cache');
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    // In place of a registry, and of the lab's installer.
    const programs = {
      npm: `case "$2" in n8n) echo '["${VERSION}"]';; *) echo '{"node":">=22"}';; esac`,
      bash: `shift; echo "$@" >> '${folder}/asked'
        mkdir -p '${cache}/n8n/${VERSION}/node_modules/n8n/bin'
        echo '{"name":"n8n","version":"${VERSION}","engines":{"node":">=22"}}' > '${cache}/n8n/${VERSION}/node_modules/n8n/package.json'
        echo > '${cache}/n8n/${VERSION}/node_modules/n8n/bin/n8n'`,
    };
    for (const [name, text] of Object.entries(programs))
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    env = { PATH: `${bin}:/usr/bin:/bin`, N8N_TUNED_CACHE: cache, CI: '' };
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const asked = (): string =>
    existsSync(join(folder, 'asked')) ? readFileSync(join(folder, 'asked'), 'utf8') : '';

  test('is installed where the user wants that, and the command goes on', async () => {
    const { code, screen } = await answered('y\r', FIND, env);
    expect(screen).toContain(QUESTION);
    expect(asked()).toBe(`node24 n8n@${VERSION}\n`);
    expect(screen).not.toMatch(SENTENCE);
    expect(screen).toContain(GOES_ON);
    expect(code).toBe(2);
  });

  test.each([
    ['no', 'n\r'],
    ['nothing', '\r'],
    ['Ctrl-D', '\u0004'],
  ])(
    'is left alone where the user says %s, and the sentence names the command',
    async (_, keys) => {
      const { code, screen } = await answered(keys, FIND, env);
      expect(screen).toContain(QUESTION);
      expect(screen).toMatch(SENTENCE);
      expect(asked()).toBe('');
      expect(code).toBe(2);
    },
  );

  test.each([
    ['in CI', FIND, { CI: 'true' }],
    ['where the result is JSON', [...FIND, '--json'], {}],
    ['where it is no release', ['find', '--n8n', '3.0.0', ...FIND.slice(3)], {}],
  ])('is not asked for %s', async (_, args, more) => {
    const { code, screen } = await answered('y\r', args, { ...env, ...more });
    expect(screen).not.toContain('[y/N]');
    expect(screen).toMatch(/is not installed in|only as an image/);
    expect(asked()).toBe('');
    expect(code).toBe(2);
  });

  test('is not asked for without a terminal', async () => {
    const { code, stderr } = await runCli(FIND, env as Record<string, string>);
    expect(stderr).toMatch(new RegExp(`^n8n-tuned: ${SENTENCE.source}\n$`));
    expect(code).toBe(2);
  });
});
