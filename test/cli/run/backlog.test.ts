import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { awaitBacklog } from '../../../cli/src/run/finish';
import { N8nApi } from '../../../cli/src/targets/url/api';
import { apiBacklog, queueBacklog } from '../../../cli/src/targets/url/backlog';
import type { BacklogWatch } from '../../../cli/src/targets/target';

let server: Server;
let url: string;
let answer: (path: string) => { status: number; body: string };

beforeAll(async () => {
  server = createServer((request, reply) => {
    const { status, body } = answer(request.url ?? '');
    reply.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => {
  server.close();
});

describe('by the metrics of the queue', () => {
  const queue = { waiting: 0, active: 0, completed: 100 };
  const show = (): void => {
    answer = () => ({
      status: 200,
      body: Object.entries(queue)
        .map(([name, value]) => `n8n_scaling_mode_queue_jobs_${name} ${String(value)}\n`)
        .join(''),
    });
  };

  async function watch(now: { ms: number }): Promise<BacklogWatch> {
    show();
    const found = await queueBacklog([url], () => now.ms);
    if (found === null) throw new Error('no queue is shown');
    return found;
  }

  test('figures that n8n has not renewed since the load are not believed', async () => {
    const now = { ms: 0 };
    const { open } = await watch(now);
    expect(await open()).toBeNull();
    now.ms = 19_000;
    expect(await open()).toBeNull();
    now.ms = 21_000;
    expect(await open()).toBe(0);
  });

  test('once they have changed they are', async () => {
    const { open } = await watch({ ms: 0 });
    expect(await open()).toBeNull();
    Object.assign(queue, { waiting: 4, active: 2, completed: 130 });
    expect(await open()).toBe(6);
    Object.assign(queue, { waiting: 0, active: 0 });
    expect(await open()).toBe(0);
  });

  test('there is none where no queue is shown', async () => {
    answer = () => ({ status: 404, body: '' });
    expect(await queueBacklog([url])).toBeNull();
  });
});

describe('by the API', () => {
  let open: Record<string, number>;
  let newest: number;
  const api = (): N8nApi => new N8nApi(url, 'key');

  beforeEach(() => {
    open = { new: 0, running: 0, waiting: 0 };
    newest = 40;
    answer = (path) => {
      const status = /status=(\w+)/.exec(path)?.[1];
      const count = status === undefined ? 1 : (open[status] ?? 0);
      const data = Array.from({ length: count }, (_, index) => ({ id: newest - index }));
      return { status: 200, body: JSON.stringify({ data, nextCursor: null }) };
    };
  });

  test('what has not begun, runs or waits is open', async () => {
    const watch = await apiBacklog(api());
    open = { new: 3, running: 2, waiting: 1 };
    expect(await watch.open()).toBe(6);
    open = { new: 0, running: 0, waiting: 0 };
    expect(await watch.open()).toBe(0);
  });

  test('none open proves nothing to a key that saw no execution of this run', async () => {
    const watch = await apiBacklog(api());
    expect(await watch.open()).toBeNull();
    newest = 41;
    expect(await watch.open()).toBe(0);
  });

  test('a key that may not list executions is told', async () => {
    answer = () => ({ status: 403, body: 'Forbidden' });
    await expect(apiBacklog(api())).rejects.toThrow('status 403');
  });
});

describe('waiting for it after the load', () => {
  const order = (now: { ms: number }) => ({
    endedAtMs: 1_000,
    drainMs: 5_000,
    nowMs: () => now.ms,
    pause: () => {
      now.ms += 500;
      return Promise.resolve();
    },
  });
  const watchOf = (all: (number | null)[], lateMs = 0): BacklogWatch => ({
    source: 'API',
    lateMs,
    open: () => Promise.resolve(all.length > 1 ? (all.shift() ?? null) : (all[0] ?? null)),
  });
  const none = new AbortController().signal;
  const told = (): void => undefined;

  test('ends when nothing is open, with the time that it took', async () => {
    const now = { ms: 1_000 };
    const seen = await awaitBacklog(watchOf([9, 4, 0]), order(now), told, none);
    expect(seen).toEqual({ seconds: 1, open: 0, source: 'API' });
  });

  test('gives up after its time, and later where figures come late', async () => {
    const now = { ms: 1_000 };
    const left = { seconds: null, open: 4, source: 'API' };
    expect(await awaitBacklog(watchOf([9, 4]), order(now), told, none)).toEqual(left);
    expect(now.ms).toBe(6_000);
    now.ms = 1_000;
    expect(await awaitBacklog(watchOf([9, 4], 20_000), order(now), told, none)).toEqual(left);
    expect(now.ms).toBe(26_000);
  });

  test('is not known where nothing could ever be read, nor after Ctrl-C', async () => {
    expect(await awaitBacklog(watchOf([null]), order({ ms: 1_000 }), told, none)).toBeNull();
    const failing = { source: 'API', lateMs: 0, open: () => Promise.reject(new Error('gone')) };
    expect(await awaitBacklog(failing, order({ ms: 1_000 }), told, none)).toBeNull();
    const stopped = AbortSignal.abort(new Error('stopped by Ctrl-C'));
    expect(await awaitBacklog(watchOf([null]), order({ ms: 1_000 }), told, stopped)).toBeNull();
  });
});
