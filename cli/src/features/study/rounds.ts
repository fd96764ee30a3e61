/** Parts that share the machine: those of a round begin their loads together, and rounds follow each other. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Rounds<One> {
  /** The next round; empty when there is nothing left. */
  next(): readonly One[];
  begin(round: readonly One[]): { loaded: Promise<unknown>; ended: Promise<unknown> };
  /** Whether a round wants the machine for itself. */
  wantsAll(round: readonly One[]): boolean;
}

/**
 * A round may begin when the loads of the one before are over, while that one still waits for what its loads left behind:
 * no more than two rounds are under way at a time.
 */
export async function inRounds<One>({ next, begin, wantsAll }: Rounds<One>): Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  for (let round = next(); round.length > 0; round = next()) {
    if (wantsAll(round)) await before;
    const { loaded, ended } = begin(round);
    // The error is thrown where `before` is awaited.
    ended.catch(() => undefined);
    await Promise.race([loaded, ended]);
    await before;
    before = ended;
  }
  await before;
}

/** What a start leaves behind settles after the last one is ready. */
const SETTLE_MS = 20_000;
/** From the file to the first request, and from the last one to its response. */
const AROUND_LOAD_SECONDS = 15;

/**
 * The loads of one round: each command waits for a file once what it loads is ready, and the file is there when all of them
 * wait or have ended.
 */
export class Together {
  readonly #folder = mkdtempSync(join(tmpdir(), 'together-'));
  readonly #left: Set<string>;
  readonly #settleMs: number;
  #began: () => void = () => undefined;
  /** Never, where no load began. */
  readonly #begun = new Promise<void>((resolve) => {
    this.#began = resolve;
  });

  constructor(names: readonly string[], settleMs = SETTLE_MS) {
    this.#left = new Set(names);
    this.#settleMs = settleMs;
  }

  /** For --start-file. */
  get file(): string {
    return join(this.#folder, 'start');
  }

  /** A command names the file when it waits for it. */
  hears(name: string, text: string): void {
    if (text.includes(this.file)) this.isReady(name);
  }

  /** It waits, or has ended. */
  isReady(name: string): void {
    if (!this.#left.delete(name) || this.#left.size > 0) return;
    setTimeout(() => {
      if (!existsSync(this.#folder)) return;
      writeFileSync(this.file, '');
      this.#began();
    }, this.#settleMs).unref();
  }

  /** When loads that last so long are over, and only what they left behind is still at work. */
  async isLoadedFor(seconds: number): Promise<void> {
    await this.#begun;
    await sleep(1000 * (seconds + AROUND_LOAD_SECONDS), undefined, { ref: false });
  }

  end(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

interface Begun {
  round: unknown;
  max: number;
}

/** How many parts of other rounds were under way beside a part. */
export class BesideOthers {
  readonly #up = new Set<Begun>();

  /** One more of a round is under way, until what this gives is given to `ends`. */
  begins(round: unknown): Begun {
    const begun = { round, max: 0 };
    this.#up.add(begun);
    for (const one of this.#up) {
      const others = [...this.#up].filter((other) => other.round !== one.round).length;
      one.max = Math.max(one.max, others);
    }
    return begun;
  }

  /** At the most, at once. */
  ends(begun: Begun): number {
    this.#up.delete(begun);
    return begun.max;
  }
}
