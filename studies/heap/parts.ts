// The parts of the heap map: containers of several sizes, shared out in several ways, and payloads of growing size. Pure.
import type { Part } from '../../cli/src/features/study/study';
import type { RoleName } from '../one-role';

/** The shares that the chart makes of a container's memory (docs/chart/tuning.md#memory), and what it gives an external runner of its own. */
export const CHART = { heap: 1 / 2, runnerHeap: 1 / 6, payload: 1 / 48, externalRunnerHeap: 1 / 2 };

/** 1, 1.5, 2, 3 and 4 GiB. */
const CONTAINERS = [1024, 1536, 2048, 3072, 4096];
const SOME = [1024, 2048, 4096];
/** Shares of a container, for the heap of n8n. */
const HEAPS = [1 / 2, 5 / 8, 3 / 4, 7 / 8];
/** Shares of a heap: less than n8n leaves free in it, up to more than it is. */
const HELD = [1 / 4, 1 / 2, 3 / 4, 5 / 4];
/** MiB. V8 has no longer text than 512. */
const RETURNED = [16, 32, 64, 96, 128, 192, 256, 400];
/** In queue mode each takes longer, as it passes the database. */
const PASSED_ON = [64, 128, 192, 256, 400];
/** n8n's own: in effect no cap. */
const NO_CAP_MIB = 1024;

export const KINDS = {
  held: 'text that an execution keeps in n8n itself',
  returned: 'text that a Code node returns to n8n',
};

/** How a container is shared out, and the payloads that it gets. */
export interface Layout {
  containerMiB: number;
  heapMiB: number;
  /** Null: it has no task runner. */
  runnerHeapMiB: number | null;
  capMiB: number;
  payloadsMiB: readonly number[];
  /** The limit of a task runner in a container of its own. */
  runnerContainerMiB?: number;
}

export interface HeapPart extends Part {
  kind: keyof typeof KINDS;
  role: RoleName;
  runner: 'internal' | 'external' | 'none';
  containers: Layout[];
}

const share = (limitMiB: number, of: number): number => Math.floor(limitMiB * of);

/** A container with text that n8n itself keeps, beside an idle task runner. */
const heldIn = (containerMiB: number, heap: number): Layout => {
  const heapMiB = share(containerMiB, heap);
  return {
    ...{ containerMiB, heapMiB, runnerHeapMiB: share(containerMiB, CHART.runnerHeap) },
    capMiB: NO_CAP_MIB,
    payloadsMiB: HELD.map((of) => share(heapMiB, of)),
  };
};

const returnedIn = (containerMiB: number, runnerHeap: number): Layout => ({
  ...{ containerMiB, heapMiB: share(containerMiB, CHART.heap) },
  ...{ runnerHeapMiB: share(containerMiB, runnerHeap), capMiB: NO_CAP_MIB },
  payloadsMiB: RETURNED,
});

const returnedByWorkerIn = (containerMiB: number): Layout => ({
  ...returnedIn(containerMiB, CHART.runnerHeap),
  payloadsMiB: PASSED_ON,
});

/** Under the chart's own cap: what is less, and what is more. */
const cappedIn = (containerMiB: number): Layout => {
  const capMiB = share(containerMiB, CHART.payload);
  return {
    ...returnedIn(containerMiB, CHART.runnerHeap),
    ...{ capMiB, payloadsMiB: [share(capMiB, 3 / 4), 2 * capMiB, ...RETURNED.slice(-3)] },
  };
};

/** The runner in a container of its own. */
const outsideOf = (containerMiB: number, runnerContainerMiB: number): Layout => ({
  ...{ ...returnedIn(containerMiB, CHART.runnerHeap), runnerContainerMiB },
  runnerHeapMiB: share(runnerContainerMiB, CHART.externalRunnerHeap),
});

/** Main in queue mode and webhook processors have no runner: what a worker has returned reaches them by the database. */
const passedOnIn = (containerMiB: number, heap: number): Layout => ({
  ...{ containerMiB, heapMiB: share(containerMiB, heap), runnerHeapMiB: null, capMiB: NO_CAP_MIB },
  payloadsMiB: PASSED_ON,
});

const cross = (
  some: readonly number[],
  others: readonly number[],
  make: (one: number, other: number) => Layout,
): Layout[] => some.flatMap((one) => others.map((other) => make(one, other)));

/** `each`: seconds of a container, about; the stores and the other roles come up before. */
const part = (
  { each, ...about }: Pick<HeapPart, 'name' | 'kind' | 'role' | 'runner'> & { each: number },
  containers: Layout[],
): HeapPart => ({
  ...{ ...about, containers },
  seconds: (about.role === 'main' ? 5 : 20) + each * containers.length,
});

const MAIN = { role: 'main', runner: 'internal' } as const;
const WORKER = { role: 'worker', runner: 'internal' } as const;
const RETURNS = { kind: 'returned' } as const;
const HOLDS = { kind: 'held' } as const;
/** What those without a runner have in common. */
const PASSED = { ...RETURNS, runner: 'none', each: 38 } as const;

export const PARTS = [
  part({ name: 'held-main', ...HOLDS, ...MAIN, each: 22 }, cross(CONTAINERS, HEAPS, heldIn)),
  part({ name: 'returned-main', ...RETURNS, ...MAIN, each: 34 }, [
    ...CONTAINERS.map((size) => returnedIn(size, CHART.runnerHeap)),
    ...CONTAINERS.map((size) => returnedIn(size, 2 * CHART.runnerHeap)),
  ]),
  part({ name: 'capped-main', ...RETURNS, ...MAIN, each: 24 }, SOME.map(cappedIn)),
  part(
    { name: 'external-main', ...RETURNS, role: 'main', runner: 'external', each: 40 },
    cross(SOME, [512, 1024], outsideOf),
  ),
  part({ name: 'held-worker', ...HOLDS, ...WORKER, each: 20 }, cross(SOME, [1 / 2, 3 / 4], heldIn)),
  part({ name: 'returned-worker', ...RETURNS, ...WORKER, each: 36 }, SOME.map(returnedByWorkerIn)),
  part(
    { name: 'passed-on-main-queue', ...PASSED, role: 'main-queue' },
    cross([1024, 2048], [1 / 2, 3 / 4], passedOnIn),
  ),
  part(
    { name: 'passed-on-webhook', ...PASSED, role: 'webhook' },
    cross([768, 1024], [1 / 2, 3 / 4], passedOnIn),
  ),
];

export const QUICK_PARTS = [
  part({ name: 'held-main', ...HOLDS, ...MAIN, each: 20 }, [heldIn(1024, 7 / 8)]),
  part({ name: 'returned-main', ...RETURNS, ...MAIN, each: 20 }, [
    { ...returnedIn(1024, CHART.runnerHeap), payloadsMiB: [16, 256] },
  ]),
];
