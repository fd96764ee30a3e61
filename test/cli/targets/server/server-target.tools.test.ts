/** Any command as a target, with real processes; no request is timed. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadRequest } from '../../../../loadtests/lib/workload';
import { ownRequest } from '../../../../loadtests/lib/own-request';
import { isAlive, processName } from '../../../../cli/src/linux/proc';
import { ProcessTree } from '../../../../cli/src/linux/process-tree';
import { serverSchema } from '../../../../cli/src/plan/server';
import type { RunEvent } from '../../../../cli/src/record/run-record';
import { freePort } from '../../../../cli/src/targets/process/ports';
import { serverTarget } from '../../../../cli/src/targets/server/server-target';
import type { Running } from '../../../../cli/src/targets/target';
import { until } from '../../../support/wait';

const FOLDER = join(__dirname, '../../../support/servers');
const HTTP = `exec '${process.execPath}' http.cjs`;
const tell = (): void => undefined;
const never = new AbortController().signal;
const asked: LoadRequest[] = [ownRequest({ request: 'GET /', expect: ['json.ok==true'] })];

let port: number;
let running: Running | null;

beforeEach(async () => {
  port = await freePort();
  running = null;
});

afterEach(() => running?.down(tell));

const target = (command: string, env: Record<string, string> = {}, readyTimeoutMs = 60_000) => {
  const url = `http://127.0.0.1:${String(port)}`;
  const all = { PORT: String(port), ...env };
  const server = serverSchema.parse({ command, url, env: all });
  return serverTarget({ server, folder: FOLDER, readyTimeoutMs });
};

const up = async (...given: Parameters<typeof target>): Promise<Running> =>
  (running = await target(...given).up(tell, never));

const membersOf = (one: Running) => new ProcessTree().look(one.processes(), 0);

test('it is up once it listens, is asked, and leaves nothing when it goes', async () => {
  const one = await up(HTTP);
  await one.ready(asked, tell, never);
  const [root] = one.processes();
  expect(root).toMatchObject({ role: 'server', instance: 'server' });
  const name = processName(root?.pid ?? 0);
  if (name === null) throw new Error('it does not run');
  await one.down(tell);
  expect(isAlive(name)).toBe(false);
  expect(one.processes()).toEqual([]);
});

test('it is not started where the user does not want its address to be loaded', async () => {
  const url = 'https://192.0.2.7:5678/x';
  const server = serverSchema.parse({ command: HTTP, url, env: {} });
  const asks: string[] = [];
  const confirm = (asked: string): Promise<void> => {
    asks.push(asked);
    return Promise.reject(new Error('no'));
  };
  const options = { server, folder: FOLDER, readyTimeoutMs: 1_000, confirm };
  await expect(serverTarget(options).up(tell, never)).rejects.toThrow('no');
  expect(asks).toEqual(['https://192.0.2.7:5678']);
});

test('the record masks what is secret; the process is given it', async () => {
  const one = await up(`${HTTP} "$API_TOKEN"`, { API_TOKEN: 'abc-123', COLOUR: 'red' });
  expect(one.server?.env).toMatchObject({
    API_TOKEN: expect.stringMatching(/^\*{3}:[0-9a-f]{12}$/) as string,
    COLOUR: expect.stringMatching(/^\*{3}:[0-9a-f]{12}$/) as string,
  });
  expect(JSON.stringify(one.server)).not.toContain('abc-123');
});

test('all processes of a cluster are its own, and end with it', async () => {
  const one = await up(HTTP, { WORKERS: '2' });
  await one.ready(asked, tell, never);
  const members = await until('both workers', () => {
    const seen = membersOf(one);
    return seen.length === 3 && seen;
  });
  const names = members.map(({ pid }) => processName(pid));
  await one.down(tell);
  expect(names.map((name) => name !== null && isAlive(name))).toEqual([false, false, false]);
});

test('an end while it is up is told, and it is started again', async () => {
  const one = await up(HTTP);
  const events: Omit<RunEvent, 'tMs'>[] = [];
  one.onEvent((event) => events.push(event));
  await fetch(`${one.baseUrl}/end`);
  await until('its restart', () => events.some(({ kind }) => kind === 'restart'));
  expect(events.map(({ kind, text }) => [kind, text])).toEqual([
    ['exit', 'server ended: exit code 7'],
    ['restart', 'server was started again'],
  ]);
  await one.ready(asked, tell, never);
});

test('a command that ends before it listens fails with its last output', async () => {
  await expect(up('echo no config here >&2; exit 3')).rejects.toThrow(
    'the server exited before it started to listen: exit code 3; its output ends with: no config here',
  );
  await expect(up('no-such-program')).rejects.toThrow(
    /exit code 127; .*no-such-program.*not found/,
  );
});

test('a command that never listens fails with its last output once the time is up', async () => {
  // A busy machine may not have let it say anything by then.
  await expect(up('echo still warming up; exec sleep 600', {}, 1_000)).rejects.toThrow(
    /^nothing listened at http:\/\/127\.0\.0\.1:\d+ in time, .*: (still warming up|nothing)$/,
  );
});

test('a port that somebody else listens on is refused: another server would be loaded', async () => {
  const other = createServer().listen(port, '127.0.0.1');
  try {
    await until('it listens', () => other.listening);
    await expect(up(HTTP)).rejects.toThrow(
      /^another program is already listening at .*: stop it, or use another port for the server\.$/,
    );
  } finally {
    other.close();
  }
});

test('Ctrl-C while it comes up ends it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'server-'));
  const stop = new AbortController();
  try {
    const coming = target(`echo $$ >"${folder}/pid"; exec sleep 600`).up(tell, stop.signal);
    const failed = expect(coming).rejects.toThrow('stopped by Ctrl-C');
    const file = join(folder, 'pid');
    const pid = await until('it runs', () => existsSync(file) && Number(readFileSync(file)));
    const name = processName(pid);
    if (name === null) throw new Error('it does not run');
    stop.abort(new Error('stopped by Ctrl-C'));
    await failed;
    expect(isAlive(name)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
