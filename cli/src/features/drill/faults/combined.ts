/** Faults made of others: several at once, and random ones for as long as one likes. */
import { seededRandom, shuffled } from '../../../analysis/statistics/random';
import { Failure, messageOf, Mistake } from '../../../ui/exit';
import { type Fault, type FaultContext, type InsideFault, SURVIVED } from '../fault';
import { lasting, needsNothing } from '../make-fault';
import { AND, SOAK } from '../record';

const firstOf = <Value>(values: readonly (Value | null | undefined)[]): Value | null =>
  values.find((value) => value != null) ?? null;

/** What any of them needs of the target. */
const laidOutFor = (faults: readonly InsideFault[]) => ({
  isOnLinks: faults.some(({ isOnLinks }) => isOnLinks),
  isOnForgetfulRedis: faults.some(({ isOnForgetfulRedis }) => isOnForgetfulRedis),
  isOnSmallDisk: faults.some(({ isOnSmallDisk }) => isOnSmallDisk),
  isOnNames: faults.some(({ isOnNames }) => isOnNames),
  isOnClock: faults.some(({ isOnClock }) => isOnClock),
  standbys: [...new Set(faults.flatMap(({ standbys = [] }) => standbys))],
});

/** They begin at the same moment, and those that last end together. What all accidents among them promise is promised. */
export function atOnce(faults: readonly InsideFault[]): InsideFault {
  const names = faults.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    throw new Mistake(`${names.join(AND)} contains a fault twice: use each fault once.`);
  }
  const accidents = faults.filter(({ kind }) => kind === 'accident');
  const [first, ...others] = accidents.length === 0 ? faults : accidents;
  const schedule = firstOf(faults.map((fault) => fault.schedule));
  return {
    ...laidOutFor(faults),
    name: names.join(AND),
    title: faults.map(({ title }) => title).join('; and '),
    kind: accidents.length === 0 ? 'planned' : 'accident',
    defaultSeconds: Math.max(...faults.map(({ defaultSeconds }) => defaultSeconds)),
    rateFactor: Math.max(...faults.map(({ rateFactor = 1 }) => rateFactor)),
    ...(schedule === null ? {} : { schedule }),
    ...(faults.every(({ keepsWorkers }) => keepsWorkers) ? { keepsWorkers: true as const } : {}),
    promise: (first?.promise ?? SURVIVED)
      .split(',')
      .filter((one) => others.every(({ promise }) => promise.split(',').includes(one)))
      .join(','),
    lacks: (topology) => firstOf(faults.map((fault) => fault.lacks(topology))),
    notOn: Object.assign({}, ...faults.map(({ notOn }) => notOn ?? {})) as Fault['notOn'] & object,
    notHere: () => firstOf(faults.map((fault) => fault.notHere?.())),
    prepare: async (access) => {
      for (const { prepare } of faults) await prepare?.(access);
    },
    make: async (scene) => {
      const made = await Promise.allSettled(
        faults.map((fault) => fault.make({ ...scene, lastsMs: lastingMs(fault, scene.lastsMs) })),
      );
      for (const one of made) if (one.status === 'rejected') throw one.reason;
    },
  };
}

/** One that is a moment stays one. */
const lastingMs = ({ defaultSeconds }: Fault, ms: number): number =>
  defaultSeconds === 0 ? 0 : ms;

export const describedSoak: Omit<InsideFault, 'make'> = {
  name: SOAK,
  title: 'random faults, one after another with pauses in between; --seed repeats the order',
  kind: 'accident',
  defaultSeconds: 600,
  isOnLinks: true,
  promise: SURVIVED,
  lacks: needsNothing,
};

/** Long enough for n8n to come back, so that not every fault meets a system that still suffers from the one before. */
const REST_MS = { from: 20_000, to: 60_000 };
/** Each lasts at least so much of its own time. */
const SHORTEST = 0.25;

/** Makes each of `among` once in a random order, and then again; one that cannot be made here is told and left out. */
export function soak(among: readonly InsideFault[], seed: number): InsideFault {
  return {
    ...describedSoak,
    hasParts: true,
    title: `random faults, seed ${String(seed)}`,
    make: async (scene) => {
      const random = seededRandom(seed);
      const between = (from: number, to: number): number => from + random() * (to - from);
      const endMs = performance.now() + scene.lastsMs;
      const leftMs = (): number => endMs - performance.now();
      let able = [...among];
      let order: InsideFault[] = [];
      for (let turn = 0; !scene.signal.aborted; turn += 1) {
        if (order.length === 0) order = shuffled(able, random);
        const fault = order.shift();
        if (fault === undefined) throw new Failure('none of the random faults could be injected');
        const lastsMs = lastingMs(fault, 1000 * fault.defaultSeconds * between(SHORTEST, 1));
        if (lastsMs > leftMs()) break;
        const part = scene.part?.();
        const own = part === undefined ? {} : { tell: part.tell, hit: part.hit };
        const why = await made(fault, { ...scene, ...own, turn, lastsMs });
        part?.over(why === null);
        if (why !== null) {
          scene.tell(`${fault.name} was left out: ${why}`);
          able = able.filter((one) => one !== fault);
          continue;
        }
        const restMs = between(REST_MS.from, REST_MS.to);
        if (restMs > leftMs()) break;
        await lasting({ ...scene, lastsMs: restMs });
      }
    },
  };
}

/** Why it could not be made; null: it was. */
const made = (fault: InsideFault, scene: FaultContext): Promise<string | null> =>
  fault.make(scene).then(
    () => null,
    (error: unknown) => {
      if (error instanceof Failure) return messageOf(error);
      throw error;
    },
  );
