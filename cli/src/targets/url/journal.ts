/** What a call puts into somebody's n8n, written down before it is made, so that a later call can remove it. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { cacheFolder } from '../../lab/paths';
import { isAlive, processName } from '../../linux/proc';
import { messageOf, Mistake } from '../../ui/exit';

const madeSchema = z.object({
  kind: z.enum(['workflow', 'credential']),
  /** With the id of the call in it. */
  name: z.string(),
  /** Null until n8n has said it. */
  id: z.string().nullable(),
});

const journalSchema = z.object({
  schemaVersion: z.literal(1),
  baseUrl: z.string(),
  call: z.string().regex(/^[0-9a-f]{8}$/),
  maker: z.object({ host: z.string(), pid: z.number(), startedAtMs: z.number() }),
  made: z.array(madeSchema),
});

export type PutIn = z.infer<typeof madeSchema>;
export type JournalContent = z.infer<typeof journalSchema>;

/** `ended`: the process that made it is gone; `elsewhere`: nobody here knows. */
export type MakerState = 'running' | 'ended' | 'elsewhere';

const folder = (): string => join(cacheFolder(), 'at-url');

export class UrlJournal {
  private constructor(private readonly content: JournalContent) {}

  static of(baseUrl: string, call: string): UrlJournal {
    return new UrlJournal({
      ...{ schemaVersion: 1, baseUrl, call, made: [] },
      maker: {
        ...{ host: hostname(), pid: process.pid },
        startedAtMs: processName(process.pid)?.startedAtMs ?? 0,
      },
    });
  }

  get call(): string {
    return this.content.call;
  }

  get baseUrl(): string {
    return this.content.baseUrl;
  }

  get made(): readonly PutIn[] {
    return this.content.made;
  }

  get state(): MakerState {
    const { host, pid, startedAtMs } = this.content.maker;
    if (host !== hostname() || startedAtMs === 0) return 'elsewhere';
    return isAlive({ pid, startedAtMs }) ? 'running' : 'ended';
  }

  /** Before it is asked for: n8n may make it and its answer be lost. */
  intend(kind: PutIn['kind'], name: string): PutIn {
    const made: PutIn = { kind, name, id: null };
    this.content.made.push(made);
    this.write();
    return made;
  }

  known(made: PutIn, id: string): void {
    made.id = id;
    this.write();
  }

  gone(made: PutIn): void {
    this.content.made = this.content.made.filter((each) => each !== made);
    if (this.content.made.length === 0) rmSync(this.file, { force: true });
    else this.write();
  }

  private get file(): string {
    return join(folder(), `${this.call}.json`);
  }

  private write(): void {
    const draft = `${this.file}.draft`;
    try {
      mkdirSync(folder(), { recursive: true, mode: 0o700 });
      rmSync(draft, { force: true });
      const descriptor = openSync(draft, 'wx', 0o600);
      try {
        writeFileSync(descriptor, `${JSON.stringify(this.content, null, 2)}\n`);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(draft, this.file);
    } catch (error) {
      throw new Mistake(
        `nothing was imported, because the list of imported objects cannot be written to ${folder()}: ${messageOf(error)}.`,
      );
    }
  }

  /** Journals of all calls that have not removed everything they created; `onBad` gets a sentence for a file that is not a journal. */
  static all(onBad: (text: string) => void): UrlJournal[] {
    let names: string[];
    try {
      names = readdirSync(folder()).filter((name) => name.endsWith('.json'));
    } catch {
      return [];
    }
    return names.flatMap((name) => {
      const file = join(folder(), name);
      try {
        return [new UrlJournal(journalSchema.parse(JSON.parse(readFileSync(file, 'utf8'))))];
      } catch {
        onBad(`${file} is not a list of imported objects, so it is ignored.`);
        return [];
      }
    });
  }
}
