/** What autoscalers have decided, as they tell the cluster. Pure. */
import type { RunEvent } from '../../../record/run-record';
import type { CoreV1Event } from '../api/api-types';

/** KEDA makes a HorizontalPodAutoscaler for all but the way to no pods and back, which it does itself. */
const DECISIONS = new Set([
  'SuccessfulRescale',
  'KEDAScaleTargetActivated',
  'KEDAScaleTargetDeactivated',
]);

export interface ScalingDecision {
  /** Key of one decision; an autoscaler that repeats itself raises the count of its event. */
  key: string;
  event: Omit<RunEvent, 'tMs'>;
}

export function decisionsIn(events: readonly CoreV1Event[], sinceMs: number): ScalingDecision[] {
  return events.flatMap(
    ({ metadata, reason = '', message = '', count = 1, involvedObject, lastTimestamp }) => {
      const atMs = Number(lastTimestamp ?? metadata.creationTimestamp ?? 0);
      if (atMs < sinceMs || !DECISIONS.has(reason)) return [];
      return [
        {
          key: `${metadata.uid ?? ''} ${String(count)}`,
          event: { kind: 'autoscaler', text: `${involvedObject.name ?? ''}: ${message.trim()}` },
        },
      ];
    },
  );
}
