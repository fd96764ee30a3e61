import type { LadderProbe, SearchSettings, Trial } from './types';
import { isRateTrial } from './types';

/** Each rung has this many times the clients of the one before. */
const STEP = 4;
/** A rung that gains less than this has passed the knee. */
const KNEE_GAIN = 1.5;

/** Clients are added until throughput no longer follows; null when the knee is found. */
export function nextRung(trials: readonly Trial[], settings: SearchSettings): LadderProbe | null {
  if (trials.some(isRateTrial)) return null;
  const last = trials.at(-1);
  if (last?.probe.kind !== 'ladder') return rung(1, settings);
  const before = trials.at(-2)?.outcome.achievedPerSecond ?? 0;
  const done =
    last.outcome.result !== 'sustained' ||
    last.outcome.achievedPerSecond < KNEE_GAIN * before ||
    last.probe.clients * STEP > settings.maxClients;
  return done ? null : rung(last.probe.clients * STEP, settings);
}

function rung(clients: number, { ladderSeconds }: SearchSettings): LadderProbe {
  return { kind: 'ladder', clients, durationSeconds: ladderSeconds };
}
