/** Looks at the pods of a release all the time: who they are, and what happens to them. */
import type { RunEvent } from '../../../record/run-record';
import type { ForeignChart } from '../../../plan/chart-file';
import { messageOf } from '../../../ui/exit';
import type { Cluster } from '../api/api';
import type { V1Pod } from '../api/api-types';
import { withRoles } from '../release/existing-release';
import { PodHistory, seatsOf, type ContainerSeat } from './pods';

const LOOK_EVERY_MS = 1_000;
/** Period of looks at the events of the cluster, which come late and in bulk. */
const EVENTS_EVERY_LOOKS = 5;

type Listener = (event: Omit<RunEvent, 'tMs'>) => void;

export class PodWatch {
  pods: V1Pod[] = [];
  private readonly history = new PodHistory();
  private readonly listeners = new Set<Listener>();
  private readonly sinceMs = Date.now();
  private timer: NodeJS.Timeout | undefined;
  private looks = 0;
  private failure = '';
  private isEnded = false;

  constructor(
    private readonly cluster: Cluster,
    private readonly namespace: string,
    private readonly selector: string,
    private readonly roles: ForeignChart['roles'] = {},
  ) {}

  get seats(): ContainerSeat[] {
    return seatsOf(this.pods);
  }

  async start(): Promise<void> {
    this.pods = await this.cluster.doing('reading the pods', () => this.list());
    this.history.look(this.pods);
    this.plan();
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.timer);
  }

  onEvent(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private plan(): void {
    if (this.isEnded) return;
    this.timer = setTimeout(() => void this.look(), LOOK_EVERY_MS);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    try {
      this.pods = await this.list();
      this.tell(this.history.look(this.pods));
      this.looks += 1;
      if (this.looks % EVENTS_EVERY_LOOKS === 0) {
        const { items } = await this.cluster.core.listNamespacedEvent({
          namespace: this.namespace,
        });
        this.tell([
          ...this.history.decisions(items, this.sinceMs),
          ...this.history.warnings(items, this.sinceMs),
        ]);
      }
      this.failure = '';
    } catch (error) {
      const cause = messageOf(this.cluster.explained('reading the pods', error));
      if (cause !== this.failure) this.tell([{ kind: 'sampler', text: `pods: ${cause}` }]);
      this.failure = cause;
    }
    this.plan();
  }

  private async list(): Promise<V1Pod[]> {
    const { namespace, selector: labelSelector } = this;
    const { items } = await this.cluster.core.listNamespacedPod({ namespace, labelSelector });
    return withRoles(items, this.roles);
  }

  private tell(events: readonly Omit<RunEvent, 'tMs'>[]): void {
    for (const event of events) for (const listener of this.listeners) listener(event);
  }
}
