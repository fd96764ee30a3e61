import type { ClockOffset } from '../../../cli/src/analysis/clock';
import { runK6 } from '../../../cli/src/load/k6';
import { gather } from '../../../cli/src/load/gather';
import type { K6Order } from '../../../cli/src/load/k6-order';
import { planOf } from '../../../loadtests/lib/profile';
import type { RequestSample } from '../../../cli/src/record/run-record';
import type { Generator, GeneratorOrder } from '../../../cli/src/targets/target';
import { eventually } from '../../support/wait';

/** A k6 far away that is told what it says. */
class FarGenerator implements Generator {
  readonly name: string;
  readonly node = 'node0';
  readonly version = 'v1.8.1';
  readonly coresAvailable = 2;
  readonly stops: string[] = [];
  order: GeneratorOrder | null = null;
  end: (how: { code: number | null; reason: string }) => void = () => undefined;
  /** What happens between its kill and its end. */
  beforeEnd: () => void = () => undefined;
  starts = 0;
  /** How far its clock is before ours. */
  aheadMs: number | null = 0;

  constructor(index = 0) {
    this.name = `generator-${String(index)}`;
  }

  clock(): Promise<ClockOffset | null> {
    const { aheadMs } = this;
    return Promise.resolve(aheadMs === null ? null : { aheadMs, uncertainMs: 2 });
  }

  start(order: GeneratorOrder): ReturnType<Generator['start']> {
    this.order = order;
    this.starts += 1;
    const ended = new Promise<{ code: number | null; reason: string }>((resolve) => {
      this.end = resolve;
    });
    return {
      ended,
      stop: (signal) => {
        this.stops.push(signal);
        this.beforeEnd();
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

async function startedOn(generators: readonly FarGenerator[], more: Partial<K6Order> = {}) {
  const seen: RequestSample[] = [];
  const began: number[] = [];
  const used: number[] = [];
  const lost: string[] = [];
  const load = runK6({
    generators,
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
    onLost: (text) => lost.push(text),
    usageEveryMs: 60_000,
    ...more,
  });
  // Their clocks are asked first.
  await eventually(() => generators.every(({ order }) => order !== null));
  return { load, seen, began, used, lost };
}

async function started(more: Partial<K6Order> = {}) {
  const generator = new FarGenerator();
  return { generator, ...(await startedOn([generator], more)) };
}

test('its lines become requests as they come, and its use a figure of the generator', async () => {
  const { generator, load, seen, began, used } = await started();
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

test('it is told the address, the plan, and that the target has been looked at', async () => {
  const { generator } = await started();
  expect(generator.order).toMatchObject({
    script: 'load',
    env: { BASE_URL: 'http://n8n.load.svc', READY: '0', RUN_ID: 'r1', PRINT_REQUESTS: '1' },
  });
  generator.end({ code: 0, reason: '' });
});

test('a generator that is lost costs what was under way, named', async () => {
  const { generator, load, seen } = await started();
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
  const { generator, load } = await started();
  generator.say('level=error', 'a script error');
  generator.end({ code: 107, reason: '' });
  expect(await load).toMatchObject({
    outcome: 'failed',
    reason: 'k6 ended with exit code 107: level=error a script error',
  });
});

test('Ctrl-C and enough both end it, each by its name', async () => {
  const interrupt = new AbortController();
  const stopped = await started({ signal: interrupt.signal });
  interrupt.abort(new Error('stopped by Ctrl-C'));
  expect(await stopped.load).toMatchObject({ outcome: 'stopped', reason: 'stopped by Ctrl-C' });
  expect(stopped.generator.stops).toEqual(['INT']);

  const enough = await started({ isEnough: () => true });
  enough.generator.say(begun('r1-1', 0), ended('r1-1'));
  expect(await enough.load).toMatchObject({ outcome: 'enough', reason: '' });
});

describe('several', () => {
  const three = (): FarGenerator[] => [0, 1, 2].map((index) => new FarGenerator(index));
  async function there(generators: readonly FarGenerator[], more: Partial<K6Order> = {}) {
    const all = await startedOn(generators, more);
    for (const generator of generators) generator.say(['r', 1]);
    await eventually(() => all.began.length > 0);
    return all;
  }

  test('begin one schedule at the same time, each by its own clock, and are told as one run', async () => {
    const generators = three();
    const [first, second, third] = generators as [FarGenerator, FarGenerator, FarGenerator];
    second.aheadMs = 5_000;
    third.aheadMs = -700;
    const { load, seen, began, lost } = await there(generators);
    const [zero = NaN] = began;
    expect(generators.map(({ order }) => order?.env)).toMatchObject([
      { SHARE: '1/3', BEGINS_AT: String(zero) },
      { SHARE: '2/3', BEGINS_AT: String(zero + 5_000) },
      { SHARE: '3/3', BEGINS_AT: String(zero - 700) },
    ]);
    first.say(begun('a', 1_000), ended('a'));
    second.say(begun('b', 1_100), ended('b'));
    third.say(begun('c', 1_200), ended('c', 'timeout'));
    first.order?.onUsage(0.2, 100);
    second.order?.onUsage(0.4, 50);
    for (const generator of generators) generator.end({ code: 0, reason: '' });
    const { generator, outcome, beganAtMs } = await load;
    expect([outcome, beganAtMs, lost]).toEqual(['finished', zero, []]);
    expect(seen.map(({ id, durationMs }) => [id, durationMs])).toEqual([
      ...[
        ['a', 42],
        ['b', 42],
        ['c', 42],
      ],
    ]);
    expect(generator).toMatchObject({ coresAvailable: 6, openPeak: 1, rssPeakMiB: 150 });
    expect(generator.cpuCoresMean).toBeCloseTo(0.6);
    expect(generator.parts).toMatchObject([
      { name: 'generator-0', requests: 1, cpuCores: 0.2, clock: { aheadMs: 0 }, lost: null },
      { name: 'generator-1', requests: 1, cpuCores: 0.4, clock: { aheadMs: 5_000 }, lost: null },
      { name: 'generator-2', requests: 1, cpuCores: 0, clock: { aheadMs: -700 }, lost: null },
    ]);
  });

  test('one that is lost costs its share, named, and the others go on', async () => {
    const generators = three();
    const [first, second, third] = generators as [FarGenerator, FarGenerator, FarGenerator];
    const { load, seen, lost } = await there(generators);
    first.say(begun('a', 1_000), ended('a'), begun('a2', 2_000));
    first.end({ code: null, reason: 'its pod was deleted' });
    await eventually(() => first.stops.length > 0);
    expect(lost).toEqual(['the load generator generator-0 on node0 was lost: its pod was deleted']);
    expect(first.stops).toEqual(['KILL']);
    second.say(begun('b', 3_000), ended('b'));
    third.say(begun('c', 3_000), ended('c'));
    second.end({ code: 0, reason: '' });
    third.end({ code: 0, reason: '' });
    const { outcome, generator } = await load;
    expect(outcome).toBe('finished');
    expect(seen.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(generator.parts?.map(({ lost: how }) => how)).toMatchObject([
      { why: 'its pod was deleted', inFlight: 1 },
      null,
      null,
    ]);
  });

  test('when all are lost the run is', async () => {
    const generators = three();
    const { load } = await there(generators);
    for (const generator of generators) generator.end({ code: null, reason: 'no node is left' });
    expect(await load).toMatchObject({ outcome: 'killed', reason: 'no node is left' });
  });

  test('one that ends before the load begins ends the run, and nobody makes load', async () => {
    const generators = three();
    const { load, seen, began } = await startedOn(generators);
    generators[1]?.end({ code: 107, reason: '' });
    expect(await load).toMatchObject({
      ...{ outcome: 'killed', reason: 'k6 ended with exit code 107 before the load began' },
    });
    expect([seen, began]).toEqual([[], []]);
    expect(generators.map(({ stops }) => stops)).toEqual([['KILL'], ['KILL'], ['KILL']]);
  });

  test('Ctrl-C while they gather ends them', async () => {
    const interrupt = new AbortController();
    const generators = three();
    const { load } = await startedOn(generators, { signal: interrupt.signal });
    interrupt.abort(new Error('stopped by Ctrl-C'));
    expect(await load).toMatchObject({ outcome: 'stopped', reason: 'stopped by Ctrl-C' });
    expect(generators.map(({ stops }) => stops[0])).toEqual(['KILL', 'KILL', 'KILL']);
  });

  test('when one is not there in time, all are stopped and begin again, later', async () => {
    const generators = three();
    const [first, second, third] = generators as [FarGenerator, FarGenerator, FarGenerator];
    const starts: number[] = [];
    const gathered = gather({
      clocks: [null, null, null],
      leadMs: 1_600,
      signal: new AbortController().signal,
      giveUp: () => undefined,
      start: (index, beginsAtMs) => {
        const generator = generators[index] ?? first;
        starts.push(beginsAtMs);
        const isLate = index === 1 && generator.starts === 0;
        const run = generator.start({} as GeneratorOrder);
        return { run, ready: isLate ? new Promise(() => undefined) : Promise.resolve() };
      },
    });
    const { beginsAtMs, runs } = await gathered;
    expect(runs).toHaveLength(3);
    expect([first.starts, second.starts, third.starts]).toEqual([2, 2, 2]);
    expect([first.stops, second.stops, third.stops]).toEqual([['KILL'], ['KILL'], ['KILL']]);
    expect(starts.slice(3)).toEqual([beginsAtMs, beginsAtMs, beginsAtMs]);
    expect(beginsAtMs - (starts[0] ?? NaN)).toBeGreaterThanOrEqual(1_600);
  });

  test('what those still send that are stopped to begin again is no part of the run', async () => {
    const generators = three();
    const [first, second, third] = generators as [FarGenerator, FarGenerator, FarGenerator];
    // Their kill comes late: the second was not there in time, and the others have begun.
    for (const generator of generators) {
      generator.beforeEnd = () => {
        generator.say(begun('early', 2_000), ended('early'), begun('open', 2_000));
      };
    }
    const { load, seen, began } = await startedOn(generators);
    first.say(['r', 1]);
    third.say(['r', 1]);
    await eventually(() => generators.every(({ starts }) => starts === 2));
    for (const generator of generators) generator.say(['r', 1]);
    await eventually(() => began.length > 0);
    for (const generator of generators) generator.end({ code: 0, reason: '' });
    const { generator } = await load;
    expect(second.stops).toEqual(['KILL']);
    expect(seen).toEqual([]);
    expect(generator.parts?.map(({ requests }) => requests)).toEqual([0, 0, 0]);
  });
});
