/** One connection into a container, over which a command there is asked line by line, and answers each with a line. */
import { Failure, messageOf } from '../../../ui/exit';
import type { Cluster, Place } from './api';
import { Lines } from './lines';

const ANSWERS_WITHIN_MS = 10_000;

interface Waiting {
  question: string;
  resolve(answer: string): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

export class ExecSession {
  private talk: AbortController | null = null;
  private write: ((text: string) => void) | null = null;
  private waiting: Waiting | null = null;

  constructor(
    private readonly cluster: Pick<Cluster, 'exec'>,
    private readonly place: Place,
    private readonly command: readonly string[],
    private readonly withinMs = ANSWERS_WITHIN_MS,
  ) {}

  /** One question at a time. After a failure the next one begins anew. */
  ask(question: string): Promise<string> {
    if (this.waiting !== null) return Promise.reject(new Error('another query is already running'));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.fail(`there was no response within ${String(this.withinMs / 1000)} s`);
      }, this.withinMs);
      this.waiting = { question, resolve, reject, timer };
      if (this.talk === null) this.begin();
      else this.write?.(`${question}\n`);
    });
  }

  end(): void {
    this.fail('no more queries are sent');
  }

  private begin(): void {
    const talk = new AbortController();
    this.talk = talk;
    const lines = new Lines((line) => {
      const { waiting } = this;
      if (waiting === null || this.talk !== talk) return;
      this.waiting = null;
      clearTimeout(waiting.timer);
      waiting.resolve(line);
    });
    this.cluster
      .exec(this.place, this.command, {
        signal: talk.signal,
        onOutput: (text) => {
          lines.add(text);
          return null;
        },
        onOpen: (write) => {
          this.write = write;
          if (this.waiting !== null) write(`${this.waiting.question}\n`);
        },
      })
      .then(
        ({ stderr }) => stderr.trim() || 'the connection was cut',
        (error: unknown) => messageOf(error),
      )
      .then((why) => {
        if (this.talk === talk) this.fail(why);
      })
      .catch(() => undefined);
  }

  private fail(why: string): void {
    const { talk, waiting } = this;
    this.talk = null;
    this.write = null;
    this.waiting = null;
    talk?.abort();
    if (waiting === null) return;
    clearTimeout(waiting.timer);
    waiting.reject(new Failure(`in ${this.place.pod}: ${why}`));
  }
}
