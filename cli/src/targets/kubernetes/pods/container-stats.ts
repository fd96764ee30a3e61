/** A stream of looks from within each container of a release, made anew when it breaks or a container is replaced. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  InsideReader,
  insideScript,
  NODE_COMMAND,
  type Inside,
} from '../../../linux/container-stats';
import { messageOf } from '../../../ui/exit';
import type { ContainerStats, ContainerSample } from '../../target';
import type { Cluster, Place } from '../api/api';
import { Lines } from '../api/lines';
import type { ContainerSeat } from './pods';

const FOLLOW_EVERY_MS = 1_000;
const AGAIN_AFTER_MS = 2_000;

/** Until the signal fires; rejects when the container cannot be looked at. */
export async function lookInside(
  cluster: Cluster,
  place: Place,
  more: string,
  onLook: (inside: Inside) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const reader = new InsideReader();
    let looks = 0;
    const lines = new Lines((line) => {
      const inside = reader.read(line);
      if (inside === null) return;
      looks += 1;
      onLook(inside);
    });
    const { code, stderr } = await cluster.exec(place, ['sh', '-c', insideScript(more)], {
      signal,
      onOutput: (text) => {
        lines.add(text);
        return null;
      },
    });
    if (signal.aborted) return;
    // Never a look: it has no shell, or no grep. Else the script has come to its end, or the connection was cut.
    if (looks === 0) {
      throw new Error(
        `${place.pod} cannot be inspected: ${stderr.trim() || `exit code ${String(code)}`}`,
      );
    }
    await sleep(AGAIN_AFTER_MS, undefined, { signal }).catch(() => undefined);
  }
}

export class PodContainerStats implements ContainerStats {
  constructor(
    private readonly cluster: Cluster,
    private readonly namespace: string,
    private readonly seats: () => ContainerSeat[],
  ) {}

  watch(listener: (seen: ContainerSample) => void, onTrouble: (text: string) => void): () => void {
    const streams = new Map<string, AbortController>();
    const nodes = new Map<string, string>();
    const follow = (): void => {
      const seats = this.seats();
      const now = new Set(seats.map(({ id }) => id));
      for (const [id, stream] of streams) {
        if (now.has(id)) continue;
        stream.abort();
        streams.delete(id);
        for (const [node, by] of nodes) if (by === id) nodes.delete(node);
      }
      for (const seat of seats) {
        if (streams.has(seat.id)) continue;
        const stream = new AbortController();
        streams.set(seat.id, stream);
        const tellsNode = !nodes.has(seat.node);
        if (tellsNode) nodes.set(seat.node, seat.id);
        const { pod, container, role, node, restarts } = seat;
        lookInside(
          this.cluster,
          { namespace: this.namespace, pod, container },
          tellsNode ? NODE_COMMAND : '',
          (inside) => {
            listener({ role, instance: pod, inside, restarts, node: tellsNode ? node : null });
          },
          stream.signal,
        ).catch((error: unknown) => {
          if (!stream.signal.aborted) onTrouble(messageOf(error));
        });
      }
    };
    follow();
    const timer = setInterval(follow, FOLLOW_EVERY_MS);
    return () => {
      clearInterval(timer);
      for (const stream of streams.values()) stream.abort();
    };
  }
}
