/** When to raise an alarm, and when to take it back: the gap between both keeps it from flapping. */
export interface AlarmRule {
  direction: 'over' | 'under';
  threshold: number;
  /** At or beyond this, back from the threshold, the alarm is over. */
  clearAt: number;
  /** So long the measure must stay beyond the threshold without a break. */
  holdMs: number;
}

export interface AlarmState {
  raised: boolean;
  /** Since when every sample lay beyond the threshold. */
  beyondSinceMs: number | null;
}

export type AlarmEvent = 'raised' | 'cleared';

export const CALM: AlarmState = { raised: false, beyondSinceMs: null };

/** A sample of null (the queue could not be read) proves nothing: waiting for the hold begins anew. */
export function nextAlarm(
  rule: AlarmRule,
  state: AlarmState,
  sample: number | null,
  nowMs: number,
): { state: AlarmState; event: AlarmEvent | null } {
  const sign = rule.direction === 'over' ? 1 : -1;
  if (sample === null) return { state: { ...state, beyondSinceMs: null }, event: null };
  if (state.raised) {
    if (sign * (sample - rule.clearAt) > 0) return { state, event: null };
    return { state: CALM, event: 'cleared' };
  }
  if (sign * (sample - rule.threshold) <= 0) return { state: CALM, event: null };
  const beyondSinceMs = state.beyondSinceMs ?? nowMs;
  if (nowMs - beyondSinceMs < rule.holdMs) {
    return { state: { raised: false, beyondSinceMs }, event: null };
  }
  return { state: { raised: true, beyondSinceMs }, event: 'raised' };
}
