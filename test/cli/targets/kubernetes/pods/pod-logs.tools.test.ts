import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { buildSync } from 'esbuild';
import { PodLogs } from '../../../../../cli/src/targets/kubernetes/pods/pod-logs';
import type { ContainerSeat } from '../../../../../cli/src/targets/kubernetes/pods/pods';
import { Failure, Mistake } from '../../../../../cli/src/ui/exit';
import { eventually, pause } from '../../../../support/wait';

const seat = (pod: string, id = pod, made: Partial<ContainerSeat> = {}): ContainerSeat => ({
  ...{ pod, id, container: 'n8n', role: 'worker', node: 'node0', restarts: 0 },
  ...made,
});

/** Each log is a stream that the test writes to and cuts. */
class Source {
  readonly streams: { pod: string; stream: PassThrough; sinceMs: number | null }[] = [];
  refusal: Error | null = null;
  followLog = (
    { pod }: { pod: string },
    into: Writable,
    sinceMs: number | null,
  ): Promise<() => void> => {
    if (this.refusal !== null) return Promise.reject(this.refusal);
    const stream = new PassThrough();
    stream.pipe(into);
    this.streams.push({ pod, stream, sinceMs });
    return Promise.resolve(() => stream.destroy());
  };
}

let seats: ContainerSeat[];
let source: Source;
let warned: string[];
let logs: PodLogs;
beforeEach(() => {
  [seats, source, warned] = [[], new Source(), []];
  logs = new PodLogs(...([source, 'here', () => seats] as const), (text) => warned.push(text));
});
afterEach(() => {
  logs.end();
});

const kept = (): Record<string, string> =>
  Object.fromEntries(logs.files.map((file) => [basename(file), readFileSync(file, 'utf8')]));

test('what a pod wrote is kept when the pod is gone, and a new container goes on in its file', async () => {
  seats = [seat('worker-1'), seat('worker-1', 'r', { container: 'runners', role: 'runner' })];
  await eventually(() => source.streams.length === 2);
  source.streams[0]?.stream.write('started\n');
  source.streams[1]?.stream.write('a runner\n');
  source.streams[0]?.stream.end('ended\n');
  seats = [seat('worker-1', 'worker-1 again'), seat('worker-2')];
  await eventually(() => source.streams.length === 4);
  source.streams[2]?.stream.write('again\n');
  source.streams[3]?.stream.write('another\n');
  await eventually(() => Object.keys(kept()).length === 3);
  await eventually(() => kept()['worker-1.log']?.endsWith('again\n') === true);
  expect(kept()).toEqual({
    'worker-1.log': 'started\nended\nagain\n',
    'worker-1-runners.log': 'a runner\n',
    'worker-2.log': 'another\n',
  });
});

test('a connection that is cut is made again from where it was', async () => {
  seats = [seat('main')];
  await eventually(() => source.streams.length === 1);
  source.streams[0]?.stream.write('one\n');
  await eventually(() => kept()['main.log'] === 'one\n');
  source.streams[0]?.stream.destroy(new Error('cut'));
  source.streams[0]?.stream.on('error', () => undefined);
  await eventually(() => source.streams.length === 2);
  expect(source.streams[0]?.sinceMs).toBeNull();
  expect(source.streams[1]?.sinceMs).toBeGreaterThan(0);
});

test('a right that is missing is told once, a pod that is gone not at all', async () => {
  source.refusal = new Failure('the pod is gone');
  seats = [seat('main')];
  await pause(1_500, 'it looks more than once in this time, and may say nothing');
  expect(warned).toEqual([]);
  source.refusal = new Mistake('you may not get pods/log.');
  await eventually(() => warned.length === 1);
  expect(warned[0]).toMatch(/logs of the pods cannot be saved: you may not get pods\/log/);
  seats = [seat('main'), seat('worker-1')];
  await pause(1_500, 'it looks more than once in this time, and may say nothing');
  expect(warned).toHaveLength(1);
});

test('a command that is killed while it follows leaves no folder behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pod-logs-'));
  const script = join(folder, 'killed.cjs');
  buildSync({
    stdin: {
      contents: `import { readdirSync } from 'node:fs';
        import { PodLogs } from './cli/src/targets/kubernetes/pods/pod-logs';
        const source = { followLog: (_, into) => { into.write('n8n wrote this'); return Promise.resolve(() => {}); } };
        const seat = { pod: 'main', id: 'main', container: 'n8n', role: 'main', node: 'node0', restarts: 0 };
        const logs = new PodLogs(source, 'here', () => [seat], () => {});
        console.log(logs.files.length, readdirSync(process.env.TMPDIR).length);
        setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300);`,
      resolveDir: join(__dirname, '../../../../..'),
    },
    ...{ bundle: true, platform: 'node', outfile: script },
  });
  const temporary = mkdtempSync(join(folder, 'tmp-'));
  try {
    const env = { ...process.env, TMPDIR: temporary };
    const { signal, stdout } = spawnSync(process.execPath, [script], { env, encoding: 'utf8' });
    expect([signal, stdout]).toEqual(['SIGKILL', '1 1\n']);
    await eventually(() => readdirSync(temporary).length === 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('what comes after the end, or is too much, is no error', () => {
  let into: Writable | undefined;
  const taking = {
    followLog: (_: unknown, sink: Writable) => {
      into = sink;
      return Promise.resolve(() => undefined);
    },
  };
  const ended = new PodLogs(...([taking, 'here', () => [seat('main')]] as const), () => undefined);
  ended.end();
  ended.end();
  const failed: unknown[] = [];
  into?.on('error', (error) => failed.push(error));
  into?.write(Buffer.alloc(17 * 1024 * 1024));
  expect([into === undefined, failed]).toEqual([false, []]);
});
