/** The load generators in the cluster: pods that stay for all runs of a call. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBundled } from '../../../lab/kit';
import { Failure } from '../../../ui/exit';
import type { Progress } from '../../../ui/progress';
import { within } from '../../../ui/within';
import type { GeneratorOrder } from '../../target';
import type { V1Pod } from '../api/api-types';
import type { Cluster } from '../api/api';
import {
  generatorJob,
  generatorLabels,
  generatorName,
  generatorScripts,
  OUTPUT,
  READY_SCRIPT,
  SCRIPTS,
} from './generator-job';
import { GeneratorPod } from './generator-pod';
import { CALL, thisMaker } from '../objects/labels';
import { isReady, nameOf, troublesOf } from '../pods/pod-trouble';

const LOOK_EVERY_MS = 500;

export interface GeneratorPlace {
  cluster: Cluster;
  call: string;
  namespace: string;
  image: string;
  /** How many pods make the load together. */
  count: number;
  /** CPU limit of each; null: none. */
  cores: number | null;
  timeoutMs: number;
  /** In each pod, by its index; left out: where its manifest has them. */
  folders?: (index: number) => { scripts: string; output: string };
}

export class ClusterGenerators {
  /** Empty before they are up. */
  pods: readonly GeneratorPod[] = [];
  /** Addresses of hosts that DNS need not know, for all runs from now on. */
  readonly names = new Map<string, string>();

  constructor(private readonly options: GeneratorPlace) {}

  /** Labels of each pod, for NetworkPolicies. */
  get labels(): Record<string, string> {
    return generatorLabels(this.options.call);
  }

  async up(progress: Progress, signal: AbortSignal): Promise<void> {
    const { cluster, namespace } = this.options;
    const order = { ...this.options, madeBy: thisMaker(), scripts: bundledScripts() };
    progress('starting the load generator in the cluster');
    await cluster.doing('creating the ConfigMap of the load generator', () =>
      cluster.core.createNamespacedConfigMap({ namespace, body: generatorScripts(order) }),
    );
    await cluster.doing('creating the Job of the load generator', () =>
      cluster.batch.createNamespacedJob({ namespace, body: generatorJob(order) }),
    );
    const pods = await this.awaitPods(progress, signal);
    this.pods = await Promise.all(pods.map((pod, index) => this.knownPod(pod, index)));
  }

  /** Returns once every request has got its expected response at each of them; else throws why not. */
  async ready(order: Omit<GeneratorOrder, 'script'>, signal: AbortSignal): Promise<void> {
    await Promise.all(this.pods.map((pod) => pod.ready(order, signal)));
  }

  private async knownPod(pod: V1Pod, index: number): Promise<GeneratorPod> {
    const { cluster, namespace, cores, folders } = this.options;
    const place = { namespace, pod: nameOf(pod), container: 'k6' };
    const said = await cluster.output(place, ['sh', '-c', 'k6 version; nproc']);
    return new GeneratorPod({
      ...{ cluster, pod: place, node: pod.spec?.nodeName ?? '', names: this.names },
      version: /v\d+\.\d+\.\d+\S*/.exec(said)?.[0] ?? 'unknown',
      coresAvailable: Math.min(Number(said.trim().split('\n').at(-1)) || 1, cores ?? Infinity),
      folders: folders?.(index) ?? { scripts: SCRIPTS, output: OUTPUT },
    });
  }

  private awaitPods(progress: Progress, signal: AbortSignal): Promise<V1Pod[]> {
    const { cluster, namespace, call, count, timeoutMs } = this.options;
    let trouble = 'it was not created';
    return within(timeoutMs, signal, async (patience) => {
      for (;;) {
        const { items } = await cluster.doing('reading the load generator', () =>
          cluster.core.listNamespacedPod({
            namespace,
            labelSelector: `${CALL}=${call},job-name=${generatorName(call)}`,
          }),
        );
        const ready = items.filter(isReady);
        if (ready.length >= count) return byName(ready);
        const [first] = troublesOf(items);
        if (first !== undefined) {
          trouble = first.text;
          progress(`the load generator does not start: ${first.text}`);
        } else if (items.length > 0) trouble = notReady(ready.length, count);
        signal.throwIfAborted();
        if (first?.isFinal === true || patience.aborted) {
          throw new Failure(`the load generator does not start: ${trouble}.`);
        }
        await sleep(LOOK_EVERY_MS);
      }
    });
  }
}

/** Names of one Job differ in the index first. */
const byName = (pods: readonly V1Pod[]): V1Pod[] =>
  [...pods].sort((one, other) => nameOf(one).localeCompare(nameOf(other), 'en', { numeric: true }));

const notReady = (ready: number, count: number): string =>
  count === 1
    ? 'it did not start in time'
    : `${String(ready)} of ${String(count)} pods started in time`;

/** Scripts of the chart: loadtests/, bundled for k6. */
export function bundledScripts(): Record<string, string> {
  const folder = findBundled(join('charts', 'n8n-load', 'files', 'loadtests'), 'load.js');
  const profiles = readdirSync(folder).filter((name) => name.endsWith('.js'));
  return {
    ...Object.fromEntries(profiles.map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
    'lib/shared.js': readFileSync(join(folder, 'lib', 'shared.js'), 'utf8'),
    'ready.js': READY_SCRIPT,
  };
}
