import { runElsewhere } from '../../../capacity/src/load/elsewhere';
import type { K6Order } from '../../../capacity/src/load/k6';
import { planOf } from '../../../capacity/src/plan/profile';
import type { RequestSample } from '../../../capacity/src/record/record';
import type { Generator, GeneratorOrder } from '../../../capacity/src/targets/target';

/** A k6 far away that is told what it says. */
class FarGenerator implements Generator {
  readonly version = 'v1.8.1';
  readonly coresAvailable = 2;
  readonly stops: string[] = [];
  order: GeneratorOrder | null = null;
  end: (how: { code: number | null; reason: string }) => void = () => undefined;

  start(order: GeneratorOrder): ReturnType<Generator['start']> {
    this.order = order;
    const ended = new Promise<{ code: number | null; reason: string }>((resolve) => {
      this.end = resolve;
    });
    return {
      ended,
      stop: (signal) => {
        this.stops.push(signal);
        this.end({ code: 105, reason: '' });
      },
    };
  }

  say(...lines: unknown[]): void {
    for (const line of lines) {
      this.order?.onLine(typeof line === 'string' ? line : JSON.stringify(line));
    }
  }
}

const BEGAN_MS = 1_000_000;
const begun = (id: string, dueMs: number): unknown => ['b', id, dueMs, 2, BEGAN_MS, 'last-node'];
const ended = (id: string, error = ''): unknown => [
  'e',
  id,
  40,
  error === '' ? 200 : 0,
  error,
  '',
  1,
];

function started(more: Partial<K6Order> = {}) {
  const generator = new FarGenerator();
  const seen: RequestSample[] = [];
  const began: number[] = [];
  const used: number[] = [];
  const load = runElsewhere(generator, {
    k6: '',
    scripts: '',
    baseUrl: 'http://n8n.load.svc',
    requests: [],
    plan: planOf('load', { ratePerSecond: 10, durationSeconds: 10, warmupSeconds: 1 }),
    runId: 'r1',
    timeoutMs: 60_000,
    drainMs: 30_000,
    maxOpen: 600,
    generatorCores: null,
    signal: new AbortController().signal,
    onRequest: (sample) => seen.push(sample),
    onBegin: (atMs) => began.push(atMs),
    onUsage: (cpuCores) => used.push(cpuCores),
    usageEveryMs: 60_000,
    ...more,
  });
  return { generator, load, seen, began, used };
}

test('its lines become requests as they come, and its use a figure of the generator', async () => {
  const { generator, load, seen, began, used } = started();
  generator.say(begun('r1-1', 0), begun('r1-2', 100), ended('r1-1'), 'some words of k6');
  expect(seen.map(({ id, durationMs, ok }) => [id, durationMs, ok])).toEqual([['r1-1', 42, true]]);
  expect(began).toEqual([BEGAN_MS]);
  generator.order?.onUsage(0.2, 100);
  generator.order?.onUsage(0.4, 90);
  expect(used).toEqual([0.2]);
  // Before and within the measured part.
  generator.say(['n', 500, BEGAN_MS, 'x'], ['n', 1500, BEGAN_MS, 'x'], ended('r1-2', 'timeout'));
  generator.end({ code: 0, reason: '' });
  expect(await load).toMatchObject({
    beganAtMs: BEGAN_MS,
    outcome: 'finished',
    reason: '',
    generator: {
      version: 'v1.8.1',
      notSent: 1,
      openPeak: 2,
      coresAvailable: 2,
      rssPeakMiB: 100,
      cpuCoresMean: expect.closeTo(0.3) as number,
    },
  });
  expect(seen[1]).toMatchObject({ id: 'r1-2', ok: false, errorKind: 'timeout' });
});

test('it is told the address, the plan, and that the target has been looked at', () => {
  const { generator } = started();
  expect(generator.order).toMatchObject({
    script: 'load',
    env: { BASE_URL: 'http://n8n.load.svc', READY: '0', RUN_ID: 'r1', PRINT_REQUESTS: '1' },
  });
  generator.end({ code: 0, reason: '' });
});

test('a generator that is lost costs what was under way, named', async () => {
  const { generator, load, seen } = started();
  generator.say(begun('r1-1', 0), ended('r1-1'), begun('r1-2', 100));
  generator.end({ code: null, reason: 'the pod of the load generator (g) was deleted' });
  expect(await load).toMatchObject({
    outcome: 'killed',
    reason: 'the pod of the load generator (g) was deleted',
  });
  expect(seen).toMatchObject([
    { id: 'r1-1', ok: true },
    { id: 'r1-2', errorKind: 'unanswered' },
  ]);
});

test('one that gives up by itself has failed, with its last words', async () => {
  const { generator, load } = started();
  generator.say('level=error', 'a script error');
  generator.end({ code: 107, reason: '' });
  expect(await load).toMatchObject({
    outcome: 'failed',
    reason: 'k6 ended with exit code 107: level=error a script error',
  });
});

test('Ctrl-C and enough both end it, each by its name', async () => {
  const interrupt = new AbortController();
  const stopped = started({ signal: interrupt.signal });
  interrupt.abort(new Error('stopped by Ctrl-C'));
  expect(await stopped.load).toMatchObject({ outcome: 'stopped', reason: 'stopped by Ctrl-C' });
  expect(stopped.generator.stops).toEqual(['INT']);

  const enough = started({ isEnough: () => true });
  enough.generator.say(begun('r1-1', 0), ended('r1-1'));
  expect(await enough.load).toMatchObject({ outcome: 'enough', reason: '' });
});
