/** What a stand-in does, as plain data: made of a rules file (rules.ts), and read by the server, which checks nothing again. */

export interface StandInPlan {
  /** The same seed gives the same latencies, errors and bodies, call by call. */
  seed: number;
  /** The first that matches a request answers it. */
  rules: StandInRule[];
  /** What answers as a language model. */
  model: Model;
}

export interface StandInRule {
  /** Null: any. */
  host: string | null;
  method: string | null;
  /** `/orders/{id}`; a `*` at the end stands for whatever follows. */
  path: string;
  /** Asked for as a bearer token; null: nothing is. */
  token: string | null;
  latency: Latency;
  status: number;
  headers: Record<string, string>;
  body: Body;
  errors: ErrorPlan[];
  /** Calls beyond it get 429; null: there is no limit. */
  limit: CallLimit | null;
}

export type Latency =
  | { kind: 'fixed'; ms: number }
  | { kind: 'lognormal'; p50Ms: number; p95Ms: number }
  /** Shares of all calls that take no longer, in rising order. */
  | { kind: 'quantiles'; points: { share: number; ms: number }[] };

export type Body =
  | { kind: 'none' }
  | { kind: 'text'; text: string }
  /** A template: see analysis/template.ts. */
  | { kind: 'json'; value: unknown }
  | { kind: 'pages'; items: number; size: number; item: unknown; field: string };

export interface ErrorPlan {
  what:
    | { kind: 'status'; status: number; retryAfterSeconds: number | null }
    | { kind: 'hang' | 'reset' };
  when:
    | { kind: 'share'; share: number }
    /** Alternately all is well and every call fails, each for random times with these means. */
    | { kind: 'burst'; goodMs: number; badMs: number }
    /** The first attempts of each request; one with the same method, address and body is another attempt. */
    | { kind: 'first'; attempts: number }
    | { kind: 'every'; calls: number };
}

export interface CallLimit {
  calls: number;
  perMs: number;
}

export interface Model {
  firstToken: Latency;
  betweenTokens: Latency;
  /** The length of an answer. */
  tokens: number;
  /** How often a conversation is told to call a tool before it is answered. */
  toolRounds: number;
  /** Null: there is no limit. */
  tokensPerMinute: number | null;
  /** Share of streams that break off in the middle. */
  cutShare: number;
  dimensions: number;
}

/** The times are those of a fast model of 2026: a first token in half a second, and then some sixty per second. */
export const DEFAULT_MODEL: Model = {
  firstToken: { kind: 'lognormal', p50Ms: 400, p95Ms: 1500 },
  betweenTokens: { kind: 'fixed', ms: 15 },
  ...{ tokens: 100, toolRounds: 1, tokensPerMinute: null, cutShare: 0, dimensions: 1536 },
};

/** What goes wrong with every service for a while, as a drill asks for it; null: nothing. */
export interface ServiceTrouble {
  /** Each answer comes so much later. */
  addedMs?: number;
  /** Every call is answered with it. */
  status?: number;
  /** Calls beyond it get 429. */
  perSecond?: number;
  /** No call is answered; those that wait when it is over are cut off. */
  hangs?: boolean;
}
