/** Takes out of an n8n what was put into it, though n8n may be in trouble: one that fails keeps no other from its turn. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../ui/exit';
import { ApiRefusal, type N8nRequests } from './api';
import type { PutIn } from './journal';
import { rowsOf } from './pages';

/** For all tries of one kind of thing together. */
const TRIES_WITHIN_MS = 30_000;
const ANSWER_WITHIN_MS = 5_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;
/** For what n8n was asked to make, and never said that it had. */
const LOOKS = 3;
const BETWEEN_LOOKS_MS = 1_000;

export interface LeftInN8n {
  made: PutIn;
  why: string;
}

interface Clock {
  nowMs(): number;
  pause(ms: number): Promise<unknown>;
}

const CLOCK: Clock = { nowMs: () => performance.now(), pause: (ms) => sleep(ms) };

/** Hears what became of each that did not stay by mistake: in either case, nobody has to remember it. */
export interface RemovalListener {
  /** It is no longer there. */
  onGone(made: PutIn): void;
  /** Somebody has given it another name: it is theirs. */
  onKept(made: PutIn, name: string): void;
}

/** Returns what is still there. */
export async function removeMade(
  api: N8nRequests,
  made: readonly PutIn[],
  listener: RemovalListener,
  clock: Clock = CLOCK,
): Promise<LeftInN8n[]> {
  const left: LeftInN8n[] = [];
  // A credential goes after what uses it.
  for (const kind of ['workflow', 'credential'] as const) {
    const removal = new Removal(api, clock);
    await Promise.all(
      made
        .filter((each) => each.kind === kind)
        .map(async (each) => {
          try {
            const name = await removal.remove(each);
            if (name === null) listener.onGone(each);
            else listener.onKept(each, name);
          } catch (error) {
            left.push({ made: each, why: messageOf(error) });
          }
        }),
    );
  }
  return left;
}

export interface Named {
  id: string;
  name: string;
}

const PAGE = 250;

/** All workflows or credentials that the key may see. */
export async function allNamed(api: N8nRequests, path: string, withinMs: number): Promise<Named[]> {
  const all: Named[] = [];
  const rows = rowsOf<Named>(api, path, { size: PAGE, withinMs: () => withinMs });
  for await (const { id, name } of rows) all.push({ id: String(id), name });
  return all;
}

class Removal {
  private readonly giveUpMs: number;

  constructor(
    private readonly api: N8nRequests,
    private readonly clock: Clock,
  ) {
    this.giveUpMs = clock.nowMs() + TRIES_WITHIN_MS;
  }

  /** Null, or the name of one that is now somebody else's: an id alone may be that of another thing. */
  async remove({ kind, name, id }: PutIn): Promise<string | null> {
    const path = kind === 'workflow' ? '/workflows' : '/credentials';
    const nameNow = id === null ? null : await this.nameOf(`${path}/${id}`);
    if (nameNow !== null && nameNow !== name) return nameNow;
    const ids = id === null ? await this.idsOf(path, name) : [id];
    for (const one of ids) {
      if (kind === 'workflow') {
        // It may be deleted though it cannot be deactivated.
        await this.insist('POST', `${path}/${one}/deactivate`).catch(() => undefined);
      }
      await this.insist('DELETE', `${path}/${one}`);
    }
    return null;
  }

  /** Null where it is gone, or the key or this n8n does not show it. */
  private nameOf(path: string): Promise<string | null> {
    return this.again(async () => {
      try {
        const { name } = await this.api.ask<Named>('GET', path, { withinMs: ANSWER_WITHIN_MS });
        return name;
      } catch (error) {
        const isUnread = error instanceof ApiRefusal && [403, 405].includes(error.status);
        if (!isUnread && !isGone(error)) throw error;
        return null;
      }
    });
  }

  /** The answer that had its id was lost, or never came: n8n may be about to make it. */
  private async idsOf(path: string, name: string): Promise<string[]> {
    for (let looks = LOOKS; ; looks -= 1) {
      const all = await this.again(() => allNamed(this.api, path, ANSWER_WITHIN_MS));
      const ids = all.filter((each) => each.name === name).map((each) => each.id);
      if (ids.length > 0 || looks === 1) return ids;
      await this.clock.pause(BETWEEN_LOOKS_MS);
    }
  }

  private async insist(method: 'POST' | 'DELETE', path: string): Promise<void> {
    await this.again(async () => {
      try {
        await this.api.ask(method, path, { withinMs: ANSWER_WITHIN_MS });
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    });
  }

  private async again<T>(attempt: () => Promise<T>): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await attempt();
      } catch (error) {
        if (isForGood(error) || this.clock.nowMs() + pauseMs > this.giveUpMs) throw error;
        await this.clock.pause(pauseMs);
      }
    }
  }
}

/** A page with this status comes from a proxy, or from an n8n that is starting. */
const isGone = (error: unknown): boolean =>
  error instanceof ApiRefusal && error.status === 404 && error.isOfN8n;

/** The key may not: asking again changes nothing. */
const isForGood = (error: unknown): boolean =>
  error instanceof ApiRefusal && [401, 403].includes(error.status);

const KINDS = { workflow: 'the workflow', credential: 'the credential' } as const;

export const madeText = ({ kind, name, id }: PutIn): string =>
  `${KINDS[kind]} '${name}'${id === null ? '' : ` (${id})`}`;

export const keptText = (made: PutIn, name: string): string =>
  `not removed, because its name is now '${name}': ${madeText(made)}`;

/** What is still there, why, and what removes it. */
export function leftText(baseUrl: string, left: readonly LeftInN8n[]): string {
  const names = left.map(({ made }) => madeText(made)).join(', ');
  return `the following could not be removed from n8n at ${baseUrl}: ${names} (${left[0]?.why ?? ''}); to remove it, run n8n-tuned clean --url ${baseUrl}`;
}
