/** The question before a host of others is loaded, on a real terminal: `script` runs the command on one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
async function answered(keys: string, args = ARGS): Promise<{ code: unknown; screen: string }> {
  const words = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(' ');
  const terminal = spawn('script', ['--quiet', '--return', '--command', words, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  terminal.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()));
  const ended = once(terminal, 'close');
  try {
    await eventually(
      () => /type the names? of the hosts?: /.test(screen) || terminal.exitCode !== null,
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
