/** What the containers of a release write, from their start on: a pod that a rollout removes takes its log with it. */
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable, type Readable } from 'node:stream';
import { startReaper } from '../../../linux/reaper';
import { Mistake } from '../../../ui/exit';
import type { Cluster } from '../api/api';
import type { ContainerSeat } from './pods';

const LOOK_EVERY_MS = 1_000;
/** Bytes kept per container; a load test of days must not fill a disk. */
const MAX_BYTES = 16 * 1024 * 1024;

export type LogSource = Pick<Cluster, 'followLog'>;

interface Following {
  stop: (() => void) | null;
  bytes: number;
  /** A stream that was cut is taken up again where it was. */
  sinceMs: number | null;
}

export class PodLogs {
  private readonly folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-logs-'));
  /** Should the command be killed, the folder goes all the same. */
  private readonly reaper = startReaper();
  private readonly followed = new Map<string, Following>();
  private readonly timer: NodeJS.Timeout;
  private isRefused = false;
  private isEnded = false;

  constructor(
    private readonly source: LogSource,
    private readonly namespace: string,
    private readonly seats: () => readonly ContainerSeat[],
    private readonly warn: (text: string) => void,
  ) {
    this.reaper.watchFolder(this.folder);
    this.look();
    this.timer = setInterval(() => {
      this.look();
    }, LOOK_EVERY_MS);
    this.timer.unref();
  }

  /** Files of the containers that have written anything. */
  get files(): string[] {
    return this.isEnded ? [] : readdirSync(this.folder).map((name) => join(this.folder, name));
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearInterval(this.timer);
    for (const { stop } of this.followed.values()) stop?.();
    rmSync(this.folder, { recursive: true, force: true });
    void this.reaper.dismiss();
  }

  private look(): void {
    if (this.isRefused || this.isEnded) return;
    for (const seat of this.seats()) {
      const following = this.followed.get(seat.id) ?? { stop: null, bytes: 0, sinceMs: null };
      this.followed.set(seat.id, following);
      if (following.stop === null && following.bytes < MAX_BYTES) this.follow(seat, following);
    }
  }

  private follow({ pod, container, role }: ContainerSeat, following: Following): void {
    // A container that is started again goes on in the file of the one before.
    const name = role === 'runner' ? `${pod}-${container}.log` : `${pod}.log`;
    const file = join(this.folder, name);
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        const append = (text: Buffer | string): void => {
          if (existsSync(this.folder)) appendFileSync(file, text);
        };
        append(chunk);
        following.bytes += chunk.length;
        following.sinceMs = Date.now();
        if (following.bytes >= MAX_BYTES) {
          append(`\n… left out: more than ${String(MAX_BYTES)} bytes\n`);
          following.stop?.();
        }
        done();
      },
    });
    let isStopped = false;
    following.stop = () => {
      isStopped = true;
    };
    const over = (): void => {
      if (following.stop !== null && following.bytes < MAX_BYTES) following.stop = null;
    };
    // Also when the connection is cut, which does not end what it is piped into.
    sink.once('pipe', (stream: Readable) => stream.once('close', over));
    this.source
      .followLog({ namespace: this.namespace, pod, container }, sink, following.sinceMs)
      .then((stop) => {
        if (isStopped) stop();
        else following.stop = stop;
      })
      .catch((error: unknown) => {
        over();
        // A pod that has gone is not an error; a missing right stays missing.
        if (this.isRefused || this.isEnded || !(error instanceof Mistake)) return;
        this.isRefused = true;
        this.warn(`the logs of the pods cannot be saved: ${error.message}`);
      });
  }
}
