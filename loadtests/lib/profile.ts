/**
 * Profiles: the shape of load over time, as data. k6 turns a plan into a scenario (options.ts), the
 * command records it and counts from it what was offered. Nothing is imported here.
 */

export interface Stage {
  durationSeconds: number;
  /** Open loop; grows evenly from one to the other. */
  fromRatePerSecond: number;
  toRatePerSecond: number;
}

export interface LoadPlan {
  profile: ProfileName;
  loop: 'open' | 'closed';
  /** Comes first and is not measured. */
  warmupSeconds: number;
  /** The measured part. */
  durationSeconds: number;
  /** Open loop: the warm-up is the first, unless it has no length. */
  stages: Stage[];
  /** Closed loop: that many wait for their reply before they ask again. */
  clients: number;
}

export interface PlanParameters {
  ratePerSecond?: number;
  durationSeconds?: number;
  warmupSeconds?: number;
  clients?: number;
}

export interface Profile {
  title: string;
  loop: 'open' | 'closed';
  ratePerSecond: number;
  durationSeconds: number;
  warmupSeconds: number;
  clients: number;
  /** Shares of the duration, and multiples of the rate at the share's beginning and end. */
  shape: readonly { share: number; from: number; to: number }[];
  /** Ends as soon as the SLO no longer holds. */
  endsAtBreach?: boolean;
}

const steady = [{ share: 1, from: 1, to: 1 }] as const;

export const PROFILES = {
  smoke: {
    title: 'Does it answer right at all: one request a second, briefly',
    loop: 'open',
    ratePerSecond: 1,
    durationSeconds: 10,
    warmupSeconds: 0,
    clients: 0,
    shape: steady,
  },
  load: {
    title: 'The usual rate, held steadily',
    loop: 'open',
    ratePerSecond: 10,
    durationSeconds: 60,
    warmupSeconds: 10,
    clients: 0,
    shape: steady,
  },
  stress: {
    title: 'Half the usual rate, then all of it, one and a half times, twice',
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
  spike: {
    title: 'The usual rate, five times as much at one stroke, and back: does it recover',
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
  soak: {
    title: 'The usual rate for hours: leaks, growing tables, pruning',
    loop: 'open',
    ratePerSecond: 10,
    durationSeconds: 3600,
    warmupSeconds: 60,
    clients: 0,
    shape: steady,
  },
  breakpoint: {
    title: 'From nothing evenly up to the rate: where does it break',
    loop: 'open',
    ratePerSecond: 100,
    durationSeconds: 300,
    warmupSeconds: 0,
    clients: 0,
    shape: [{ share: 1, from: 0, to: 1 }],
    endsAtBreach: true,
  },
  closed: {
    title: 'A fixed number of clients, each waiting for its reply before it asks again',
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

export function planOf(name: ProfileName, parameters: PlanParameters = {}): LoadPlan {
  const profile: Profile = PROFILES[name];
  refuseWhatDoesNotFit(name, profile, parameters);
  const durationSeconds = parameters.durationSeconds ?? profile.durationSeconds;
  const warmupSeconds = parameters.warmupSeconds ?? profile.warmupSeconds;
  const rate = parameters.ratePerSecond ?? profile.ratePerSecond;
  const stages = profile.shape.map(({ share, from, to }) => ({
    durationSeconds: share * durationSeconds,
    fromRatePerSecond: from * rate,
    toRatePerSecond: to * rate,
  }));
  const first = stages[0];
  if (first !== undefined && warmupSeconds > 0) {
    const warmRate = first.fromRatePerSecond;
    stages.unshift({
      durationSeconds: warmupSeconds,
      fromRatePerSecond: warmRate,
      toRatePerSecond: warmRate,
    });
  }
  return {
    profile: name,
    loop: profile.loop,
    warmupSeconds,
    durationSeconds,
    stages,
    clients: profile.loop === 'closed' ? (parameters.clients ?? profile.clients) : 0,
  };
}

function refuseWhatDoesNotFit(name: string, profile: Profile, parameters: PlanParameters): void {
  if (profile.loop === 'closed' && parameters.ratePerSecond !== undefined) {
    throw new Error(
      `the profile ${name} has clients, not a rate: say how many, or take the profile load`,
    );
  }
  if (profile.loop === 'open' && parameters.clients !== undefined) {
    throw new Error(
      `the profile ${name} has a rate, not clients: say the rate, or take the profile closed`,
    );
  }
  const { ratePerSecond = 1, durationSeconds = 1, warmupSeconds = 0, clients = 1 } = parameters;
  if (!(ratePerSecond >= 0.001 && ratePerSecond <= 100_000)) {
    throw new Error(
      `the rate ${String(ratePerSecond)} is out of bounds: it is 0.001 to 100000 requests a second`,
    );
  }
  if (!(durationSeconds > 0 && durationSeconds <= 7 * 86_400)) {
    throw new Error(
      `the duration of ${String(durationSeconds)} s is out of bounds: it is more than 0 and at most 7 days`,
    );
  }
  if (!(warmupSeconds >= 0 && warmupSeconds <= 86_400)) {
    throw new Error(`the warm-up of ${String(warmupSeconds)} s is out of bounds: it is 0 to 1 day`);
  }
  if (!(Number.isInteger(clients) && clients >= 1 && clients <= 100_000)) {
    throw new Error(
      `${String(clients)} clients are out of bounds: it is a whole number from 1 to 100000`,
    );
  }
}

export function lengthSeconds(plan: LoadPlan): number {
  return plan.warmupSeconds + plan.durationSeconds;
}

/** Open loop: how many requests are due between two times; warm-up included in the clock. */
export function dueBetween(
  plan: Pick<LoadPlan, 'stages'>,
  fromSeconds: number,
  toSeconds: number,
): number {
  let begin = 0;
  let due = 0;
  for (const stage of plan.stages) {
    const from = Math.max(begin, fromSeconds);
    const to = Math.min(begin + stage.durationSeconds, toSeconds);
    if (to > from) {
      due += ((rateAt(stage, from - begin) + rateAt(stage, to - begin)) / 2) * (to - from);
    }
    begin += stage.durationSeconds;
  }
  return due;
}

export function highestRate(plan: LoadPlan): number {
  return Math.max(0, ...plan.stages.flatMap((s) => [s.fromRatePerSecond, s.toRatePerSecond]));
}

/** Each costs k6 about half a MiB, and 2 ms of CPU before the load begins. */
const OPEN_AT_MOST = 1000;
const OPEN_AT_LEAST = 50;
/** Beyond the time that a reply must take. */
const SLACK_SECONDS = 5;

/**
 * Requests that may be open side by side. A system that keeps more waiting is past its limit, and what
 * is dropped then counts as not achieved.
 */
export function openLimit(plan: LoadPlan, latencyFloorMs: number): number {
  if (plan.loop === 'closed') return plan.clients;
  const open = Math.ceil(highestRate(plan) * (latencyFloorMs / 1000 + SLACK_SECONDS));
  return Math.min(OPEN_AT_MOST, Math.max(OPEN_AT_LEAST, open));
}

function rateAt(stage: Stage, secondsIntoIt: number): number {
  const growth = stage.toRatePerSecond - stage.fromRatePerSecond;
  return stage.fromRatePerSecond + (growth * secondsIntoIt) / stage.durationSeconds;
}

/** `90`, `30s`, `1m30s`, `500ms`, `1h`: seconds. */
export function parseDuration(text: string): number {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) {
    return Number(trimmed);
  }
  const UNIT_SECONDS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };
  const parts = [...trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join('') !== trimmed) {
    throw new Error(`'${text}' is not a duration: write it like 30s, 1m30s or 2h`);
  }
  return parts.reduce((sum, part) => sum + Number(part[1]) * (UNIT_SECONDS[part[2] ?? ''] ?? 0), 0);
}
