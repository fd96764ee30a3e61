/** The load generator in the cluster: a pod that stays, and each run of k6 in it, followed as it goes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBundled } from '../../lab/kit';
import { Failure, messageOf } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import { within } from '../../ui/within';
import type { Generator, GeneratorOrder, GeneratorRun } from '../target';
import type { V1Pod } from './api-types';
import type { Cluster, Place } from './api';
import {
  endIn,
  FOLLOW_SCRIPT,
  GENERATOR,
  generatorJob,
  generatorScripts,
  OUTPUT,
  READY_SCRIPT,
  SCRIPTS,
  START_SCRIPT,
  STOP_SCRIPT,
} from './generator-job';
import { CALL, thisMaker } from './labels';
import { lookInside } from './insides';
import { Lines } from './lines';
import { isReady, nameOf, troublesOf } from './pod-trouble';

const LOOK_EVERY_MS = 500;
/** Only its process: its scripts are read later. */
const STARTS_WITHIN_MS = 30_000;
const RECONNECT_EVERY_MS = 500;
/** An API server that restarts is back within it. */
const RECONNECT_WITHIN_MS = 60_000;

export interface GeneratorPlace {
  cluster: Cluster;
  call: string;
  namespace: string;
  image: string;
  cores: number | null;
  timeoutMs: number;
  /** In the pod; left out: where its manifest has them. */
  folders?: { scripts: string; output: string };
}

export class ClusterGenerator implements Generator {
  coresAvailable = 0;
  version = 'unknown';
  node = '';
  private readonly folders: { scripts: string; output: string };
  private pod: Place | null = null;
  private runs = 0;

  constructor(private readonly options: GeneratorPlace) {
    this.folders = options.folders ?? { scripts: SCRIPTS, output: OUTPUT };
  }

  /** Null before it is up. */
  get place(): Place | null {
    return this.pod;
  }

  async up(progress: Progress, signal: AbortSignal): Promise<void> {
    const { cluster, namespace } = this.options;
    const order = { ...this.options, madeBy: thisMaker(), scripts: bundledScripts() };
    progress('starting the load generator in the cluster');
    await cluster.doing('making the ConfigMap of the load generator', () =>
      cluster.core.createNamespacedConfigMap({ namespace, body: generatorScripts(order) }),
    );
    await cluster.doing('making the Job of the load generator', () =>
      cluster.batch.createNamespacedJob({ namespace, body: generatorJob(order) }),
    );
    const pod = await this.awaitPod(progress, signal);
    this.pod = { namespace, pod: nameOf(pod), container: 'k6' };
    this.node = pod.spec?.nodeName ?? '';
    const said = await cluster.output(this.pod, ['sh', '-c', 'k6 version; nproc']);
    this.version = /v\d+\.\d+\.\d+\S*/.exec(said)?.[0] ?? 'unknown';
    this.coresAvailable = Math.min(
      Number(said.trim().split('\n').at(-1)) || 1,
      this.options.cores ?? Infinity,
    );
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
    const { pod } = this;
    if (pod === null) throw new Error('the generator is not up');
    this.runs += 1;
    const folder = `${this.folders.output}/${String(this.runs)}`;
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
          .then(() =>
            this.options.cluster.output(pod, ['sh', '-c', STOP_SCRIPT, 'sh', folder, how]),
          )
          .catch(() => undefined); // It has ended already, or its pod is gone: the end tells.
      },
    };
  }

  /** Without it a run is measured too: how busy the generator was is then not known. */
  private async watchUsage(pod: Place, order: GeneratorOrder, signal: AbortSignal): Promise<void> {
    let last: { atMs: number; cpuMs: number } | null = null;
    await lookInside(
      this.options.cluster,
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
    const variables = { ...order.env, WORKLOAD_FILE: `${folder}/requests.json` };
    const args = [
      ...order.flags,
      ...Object.entries(variables).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      `${this.folders.scripts}/${order.script}.js`,
    ];
    const bytes = String(Buffer.byteLength(requests));
    const { code, stderr } = await this.options.cluster.exec(
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
    const found = new AbortController();
    const lines = new Lines((line) => {
      end ??= endIn(line);
      if (end === null) onLine(line);
      else found.abort();
    });
    let lostSinceMs: number | null = null;
    for (;;) {
      const command = ['sh', '-c', FOLLOW_SCRIPT, 'sh', folder, String(read + 1)];
      const before = read;
      const problem = await this.options.cluster
        .exec(pod, command, {
          signal: found.signal,
          onOutput: (text) => {
            read += Buffer.byteLength(text);
            lines.add(text);
            return behind();
          },
        })
        .then(
          ({ stderr }) => stderr,
          (error: unknown) => messageOf(error),
        );
      if (end !== null) return { code: end, reason: '' };
      const gone = await this.whyGone(pod).catch(() => null);
      if (gone !== null) return { code: null, reason: gone };
      if (read > before) lostSinceMs = null;
      lostSinceMs ??= Date.now();
      if (Date.now() - lostSinceMs > RECONNECT_WITHIN_MS) {
        return { code: null, reason: `the connection to ${pod.pod} was lost: ${problem}` };
      }
      await sleep(RECONNECT_EVERY_MS);
    }
  }

  /** Null while it runs. */
  private async whyGone({ namespace, pod: name }: Place): Promise<string | null> {
    const { cluster } = this.options;
    const pod = await cluster.found('looking at the load generator', () =>
      cluster.core.readNamespacedPod({ namespace, name }),
    );
    if (pod === null) return `the pod of the load generator (${name}) was deleted`;
    const { phase, reason, message, containerStatuses } = pod.status ?? {};
    if (phase === 'Running' && pod.metadata?.deletionTimestamp === undefined) return null;
    const end = containerStatuses?.[0]?.state?.terminated;
    const how = [reason ?? end?.reason, message ?? end?.message].filter(Boolean).join(': ');
    return `the pod of the load generator (${name}) ended${how === '' ? '' : `: ${how}`}`;
  }

  private awaitPod(progress: Progress, signal: AbortSignal): Promise<V1Pod> {
    const { cluster, namespace, call, timeoutMs } = this.options;
    let trouble = 'it was not made';
    return within(timeoutMs, signal, async (patience) => {
      for (;;) {
        const { items } = await cluster.doing('looking at the load generator', () =>
          cluster.core.listNamespacedPod({
            namespace,
            labelSelector: `${CALL}=${call},job-name=${GENERATOR}`,
          }),
        );
        const ready = items.find(isReady);
        if (ready !== undefined) return ready;
        const [first] = troublesOf(items);
        if (first !== undefined) {
          trouble = first.text;
          progress(`the load generator does not start: ${first.text}`);
        } else if (items.length > 0) trouble = 'it did not start in time';
        signal.throwIfAborted();
        if (first?.isFinal === true || patience.aborted) {
          throw new Failure(`the load generator does not start: ${trouble}.`);
        }
        await sleep(LOOK_EVERY_MS);
      }
    });
  }
}

/** k6's own sentence of an abort, which it puts among others. */
function readyWords(words: readonly string[]): string {
  const said = words.join(' ');
  return (
    /\S+ \S+ did not get its expected response within [^:]*?\)/.exec(said)?.[0] ?? said.slice(-500)
  );
}

/** As the chart carries them: bundled for k6, the same code as loadtests/. */
export function bundledScripts(): Record<string, string> {
  const folder = findBundled(join('charts', 'n8n-tuned', 'files', 'loadtests'), 'load.js');
  const profiles = readdirSync(folder).filter((name) => name.endsWith('.js'));
  return {
    ...Object.fromEntries(profiles.map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
    'lib/shared.js': readFileSync(join(folder, 'lib', 'shared.js'), 'utf8'),
    'ready.js': READY_SCRIPT,
  };
}
