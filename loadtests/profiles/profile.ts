/** What a load profile is: plain data, one file each. Nothing of k6 is imported in this folder. */
export interface Profile {
  title: string;
  loop: 'open' | 'closed';
  /** Open loop: the rate that the shape multiplies, 0.001 to 100 000. */
  ratePerSecond: number;
  /** The measured part: more than 0, at most 7 days. */
  durationSeconds: number;
  /** Before it, sent and not measured: at most 1 day. */
  warmupSeconds: number;
  /** Closed loop: 1 to 100 000, each waits for its response before it sends again. */
  clients: number;
  /** Shares of the duration that add up to 1, and multiples of the rate where each share begins and ends. */
  shape: readonly { share: number; from: number; to: number }[];
  /** The run ends as soon as an SLO is missed. */
  endsAtBreach?: boolean;
}

export const STEADY = [{ share: 1, from: 1, to: 1 }] as const;
