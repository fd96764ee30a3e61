import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again and again until something is there, and returns it; says what was awaited if it never came. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = 60_000,
): Promise<Exclude<T, false | null | undefined>> {
  const giveUpMs = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) {
      return found as Exclude<T, false | null | undefined>;
    }
    if (Date.now() > giveUpMs) {
      throw new Error(`${what} did not come within ${String(withinMs / 1000)} s`);
    }
    await sleep(20);
  }
}

/** The same, where the condition says what is awaited. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  await until(isSo.toString(), isSo, withinMs);
}

/** A fixed time, where no condition can be waited for: the second argument says why. */
export const pause = (ms: number, _why: string): Promise<void> => sleep(ms);

/** A run that says itself that the machine was at fault is made again, twice at most. */
export async function unlessInvalid<T>(
  run: () => Promise<T>,
  isInvalid: (result: T) => boolean,
): Promise<T> {
  for (let tries = 3; ; tries -= 1) {
    const result = await run();
    if (tries === 1 || !isInvalid(result)) return result;
  }
}
