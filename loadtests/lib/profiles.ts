/** The load profiles: plain data, which nothing of k6 reaches. */
export interface Profile {
  title: string;
  loop: 'open' | 'closed';
  /** Open loop: the rate that the shape multiplies, 0.001 to 100,000. */
  ratePerSecond: number;
  /** The measured part: more than 0, at most 7 days. */
  durationSeconds: number;
  /** Before it, sent and not measured: at most 1 day. */
  warmupSeconds: number;
  /** Closed loop: 1 to 100,000, each waits for its response before it sends again. */
  clients: number;
  /** Shares of the duration that add up to 1, and multiples of the rate where each share begins and ends. */
  shape: readonly { share: number; from: number; to: number }[];
  /** The run ends as soon as an SLO is missed. */
  endsAtBreach?: boolean;
}

const STEADY = [{ share: 1, from: 1, to: 1 }] as const;

/** By their names, in the order in which they are listed. */
export const PROFILES = {
  /**
   * Shows that the request, the expected response and the addresses fit together, before a longer run costs
   * time. Too few requests for a percentile.
   */
  smoke: {
    title: 'One request per second for a short time: does n8n respond as expected?',
    loop: 'open',
    ratePerSecond: 1,
    durationSeconds: 10,
    warmupSeconds: 0,
    clients: 0,
    shape: STEADY,
  },
  /**
   * One rate for the whole time: the profile whose verdict says whether that rate is sustained. Give it at least
   * a few hundred requests, more for high percentiles.
   */
  load: {
    title: 'A constant load at the usual rate',
    loop: 'open',
    ratePerSecond: 10,
    durationSeconds: 60,
    warmupSeconds: 10,
    clients: 0,
    shape: STEADY,
  },
  /**
   * Four steps of equal length around the usual rate, for how latency grows with load. The warm-up is at the rate
   * of the first step.
   */
  stress: {
    title: 'Four steps: 0.5, 1, 1.5 and 2 times the usual rate',
    loop: 'open',
    ratePerSecond: 10,
    durationSeconds: 240,
    warmupSeconds: 10,
    clients: 0,
    shape: [
      { share: 0.25, from: 0.5, to: 0.5 },
      { share: 0.25, from: 1, to: 1 },
      { share: 0.25, from: 1.5, to: 1.5 },
      { share: 0.25, from: 2, to: 2 },
    ],
  },
  /**
   * The middle fifth is at five times the rate, without a ramp. The last two fifths show whether what piled up is
   * worked off.
   */
  spike: {
    title: 'A sudden jump to five times the usual rate and back: does n8n recover?',
    loop: 'open',
    ratePerSecond: 10,
    durationSeconds: 150,
    warmupSeconds: 10,
    clients: 0,
    shape: [
      { share: 0.4, from: 1, to: 1 },
      { share: 0.2, from: 5, to: 5 },
      { share: 0.4, from: 1, to: 1 },
    ],
  },
  /**
   * What only time brings out: memory that grows, tables that grow, pruning, certificates and log rotation. Up to 7
   * days.
   */
  soak: {
    title: 'The usual rate for hours, to find leaks and growing tables and to test pruning',
    loop: 'open',
    ratePerSecond: 10,
    durationSeconds: 3600,
    warmupSeconds: 60,
    clients: 0,
    shape: STEADY,
  },
  /**
   * The rate grows evenly from 0, and the run ends where an SLO is missed. Systems answer late to a growing load,
   * so this is a first look at where to search, not a capacity.
   */
  breakpoint: {
    title: 'A steady ramp from zero to the given rate: where does n8n break?',
    loop: 'open',
    ratePerSecond: 100,
    durationSeconds: 300,
    warmupSeconds: 0,
    clients: 0,
    shape: [{ share: 1, from: 0, to: 1 }],
    endsAtBreach: true,
  },
  /**
   * For comparisons under equal concurrency. A slow system slows its own load down here, so this does not say what
   * callers who do not wait would see: the open profiles do.
   */
  closed: {
    title:
      'A fixed number of clients; each waits for its response before it sends the next request',
    loop: 'closed',
    ratePerSecond: 0,
    durationSeconds: 60,
    warmupSeconds: 0,
    clients: 8,
    shape: [],
  },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;

export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name);
}
