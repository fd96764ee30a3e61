/** One load generator: k6 in its pod, each run of it followed as it goes. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  clockOffset,
  readDate,
  type ClockOffset,
  type ClockReading,
} from '../../../analysis/clock';
import { Failure, messageOf } from '../../../ui/exit';
import { within } from '../../../ui/within';
import { k6Arguments, type Generator, type GeneratorOrder, type GeneratorRun } from '../../target';
import type { Cluster, Place } from '../api/api';
import { CLOCK_SCRIPT, endIn, FOLLOW_SCRIPT, START_SCRIPT, STOP_SCRIPT } from './generator-job';
import { lookInside } from '../pods/container-stats';
import { Lines } from '../api/lines';
import { hasLostNode, lostNodeText } from '../pods/pod-trouble';

/** Only its process: its scripts are read later. */
const STARTS_WITHIN_MS = 30_000;
const RECONNECT_EVERY_MS = 500;
/** An API server that restarts is back within it. */
const RECONNECT_WITHIN_MS = 60_000;
/** A node that is lost closes no connection: its pod is looked at beside it. */
const LOOK_AT_POD_EVERY_MS = 5_000;
/** Between two questions for the time; a clock of seconds is asked until the second has changed. */
const ASK_EVERY_MS = 25;
const CLOCK_WITHIN_MS = 10_000;
const QUESTIONS = 8;
const QUESTIONS_FOR_A_SECOND = 50;

export interface PodPlace {
  cluster: Cluster;
  pod: Place;
  node: string;
  version: string;
  coresAvailable: number;
  /** Addresses of hosts, see ClusterGenerators. */
  names: ReadonlyMap<string, string>;
  /** In the pod. */
  folders: { scripts: string; output: string };
}

export class GeneratorPod implements Generator {
  readonly name: string;
  readonly node: string;
  readonly version: string;
  readonly coresAvailable: number;
  private runs = 0;

  constructor(private readonly place: PodPlace) {
    this.name = place.pod.pod;
    this.node = place.node;
    this.version = place.version;
    this.coresAvailable = place.coresAvailable;
  }

  /** Returns once every request has got its expected response from in there; else throws why not. */
  async ready(order: Omit<GeneratorOrder, 'script'>, signal: AbortSignal): Promise<void> {
    const words: string[] = [];
    const run = this.start({
      ...order,
      script: 'ready',
      onLine: (line) => {
        words.push(line);
        order.onLine(line);
      },
    });
    let stop: () => void = () => undefined;
    const stopped = new Promise<{ code: null; reason: string }>((resolve) => {
      stop = () => {
        run.stop('KILL');
        resolve({ code: null, reason: '' });
      };
    });
    signal.addEventListener('abort', stop, { once: true });
    const { code, reason } = await Promise.race([run.ended, stopped]).finally(() => {
      signal.removeEventListener('abort', stop);
    });
    signal.throwIfAborted();
    if (code !== 0) throw new Failure(reason || readyWords(words));
  }

  start(order: GeneratorOrder): GeneratorRun {
    const { pod } = this.place;
    this.runs += 1;
    const folder = `${this.place.folders.output}/${String(this.runs)}`;
    const started = this.begin(pod, folder, order);
    started.catch(() => undefined);
    const watched = new AbortController();
    void this.watchUsage(pod, order, watched.signal);
    return {
      ended: started
        .then(() => this.follow(pod, folder, order))
        .finally(() => {
          watched.abort();
        }),
      stop: (how) => {
        void started
          .then(() => this.place.cluster.output(pod, ['sh', '-c', STOP_SCRIPT, 'sh', folder, how]))
          .catch(() => undefined); // It has ended already, or its pod is gone: the end tells.
      },
    };
  }

  /** Over one connection, so that a question takes no longer than the way there and back. */
  async clock(): Promise<ClockOffset | null> {
    const readings: ClockReading[] = [];
    const enough = new AbortController();
    let ask: () => void = () => undefined;
    let sentMs = 0;
    const lines = new Lines((line) => {
      const receivedMs = Date.now();
      const theirs = readDate(line);
      // Our clock shows whole milliseconds.
      if (theirs !== null) readings.push({ sentMs, receivedMs: receivedMs + 1, ...theirs });
      const isCoarse = (theirs?.resolutionMs ?? 0) > 1;
      if (readings.length >= (isCoarse ? QUESTIONS_FOR_A_SECOND : QUESTIONS)) enough.abort();
      else setTimeout(ask, ASK_EVERY_MS);
    });
    const looking = {
      onOutput: (text: string) => {
        lines.add(text);
        return null;
      },
      onOpen: (write: (text: string) => void) => {
        ask = () => {
          if (enough.signal.aborted) return;
          sentMs = Date.now();
          write('\n');
        };
        ask();
      },
    };
    const { cluster, pod } = this.place;
    await within(CLOCK_WITHIN_MS, enough.signal, (signal) =>
      cluster.exec(pod, ['sh', '-c', CLOCK_SCRIPT], { ...looking, signal }),
    );
    return clockOffset(readings);
  }

  /** Without it a run is measured too: how busy the generator was is then not known. */
  private async watchUsage(pod: Place, order: GeneratorOrder, signal: AbortSignal): Promise<void> {
    let last: { atMs: number; cpuMs: number } | null = null;
    await lookInside(
      this.place.cluster,
      pod,
      '',
      ({ uptimeMs, group, processes }) => {
        const rssMiB = processes.reduce((sum, { stat }) => sum + stat.rssMiB, 0);
        const cpuMs = group?.cpuMs ?? null;
        if (cpuMs === null) return;
        if (last !== null && uptimeMs > last.atMs) {
          order.onUsage((cpuMs - last.cpuMs) / (uptimeMs - last.atMs), rssMiB);
        }
        last = { atMs: uptimeMs, cpuMs };
      },
      signal,
    ).catch(() => undefined);
  }

  private async begin(pod: Place, folder: string, order: GeneratorOrder): Promise<void> {
    const requests = JSON.stringify(order.requests);
    const { names } = this.place;
    const hosts = names.size === 0 ? {} : { HOSTS: JSON.stringify(Object.fromEntries(names)) };
    const args = k6Arguments(
      { ...order, env: { ...order.env, ...hosts } },
      `${folder}/requests.json`,
      `${this.place.folders.scripts}/${order.script}.js`,
    );
    const bytes = String(Buffer.byteLength(requests));
    const { code, stderr } = await this.place.cluster.exec(
      pod,
      ['sh', '-c', START_SCRIPT, 'sh', folder, bytes, ...args],
      {
        input: requests,
        onOutput: () => null,
        signal: AbortSignal.timeout(STARTS_WITHIN_MS),
      },
    );
    if (code !== 0) {
      const why = stderr.trim() || `it did not start within ${String(STARTS_WITHIN_MS / 1000)} s`;
      throw new Failure(`k6 could not be started in ${pod.pod}: ${why}`);
    }
  }

  /** Reads all that k6 writes, over a connection that may break in between. */
  private async follow(
    pod: Place,
    folder: string,
    { onLine, behind }: Pick<GeneratorOrder, 'onLine' | 'behind'>,
  ): Promise<{ code: number | null; reason: string }> {
    let read = 0;
    let end: number | null = null;
    const over = new AbortController();
    const lines = new Lines((line) => {
      end ??= endIn(line);
      if (end === null) onLine(line);
      else over.abort();
    });
    let lostSinceMs: number | null = null;
    for (;;) {
      const command = ['sh', '-c', FOLLOW_SCRIPT, 'sh', folder, String(read + 1)];
      const before = read;
      const watch = setInterval(() => {
        void this.isOnLostNode(pod).then((isLost) => {
          if (isLost) over.abort();
        });
      }, LOOK_AT_POD_EVERY_MS);
      const problem = await this.place.cluster
        .exec(pod, command, {
          signal: over.signal,
          onOutput: (text) => {
            read += Buffer.byteLength(text);
            lines.add(text);
            return behind();
          },
        })
        .then(
          ({ stderr }) => stderr,
          (error: unknown) => messageOf(error),
        )
        .finally(() => {
          clearInterval(watch);
        });
      if (end !== null) return { code: end, reason: '' };
      const gone = await this.whyGone(pod).catch(() => null);
      if (gone !== null) return { code: null, reason: gone };
      if (read > before) lostSinceMs = null;
      lostSinceMs ??= performance.now();
      if (over.signal.aborted || performance.now() - lostSinceMs > RECONNECT_WITHIN_MS) {
        return { code: null, reason: await this.whyLost(pod, problem) };
      }
      await sleep(RECONNECT_EVERY_MS);
    }
  }

  private async whyLost(pod: Place, problem: string): Promise<string> {
    const why = (await this.isOnLostNode(pod)) ? lostNodeText(this.node) : problem;
    return `the connection to ${pod.pod} was lost: ${why}`;
  }

  /** False also where nobody can say. */
  private isOnLostNode({ namespace, pod: name }: Place): Promise<boolean> {
    return this.place.cluster.core
      .readNamespacedPod({ namespace, name })
      .then(hasLostNode, () => false);
  }

  /** Null while it runs. */
  private async whyGone({ namespace, pod: name }: Place): Promise<string | null> {
    const { cluster } = this.place;
    const pod = await cluster.found('reading the load generator', () =>
      cluster.core.readNamespacedPod({ namespace, name }),
    );
    if (pod === null) return `the pod of the load generator (${name}) was deleted`;
    const { phase, reason, message, containerStatuses, conditions } = pod.status ?? {};
    if (phase === 'Running' && pod.metadata?.deletionTimestamp === undefined) return null;
    const end = containerStatuses?.[0]?.state?.terminated;
    // Who ended it: a drain, a taint, a pod of higher priority.
    const taken = conditions?.find(
      ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
    );
    const how = [reason ?? end?.reason ?? taken?.reason, message ?? end?.message ?? taken?.message]
      .filter(Boolean)
      .join(': ');
    return `the pod of the load generator (${name}) ended${how === '' ? '' : `: ${how}`}`;
  }
}

/** k6's own sentence of an abort, which it puts among others. */
function readyWords(words: readonly string[]): string {
  const said = words.join(' ');
  return (
    /\S+ \S+ did not get its expected response within [^:]*?\)/.exec(said)?.[0] ?? said.slice(-500)
  );
}
