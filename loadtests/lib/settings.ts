/**
 * What `-e NAME=value` says, read once and refused in one sentence where it makes no sense: an error
 * here stops k6 before any load.
 */
import { ARRIVALS, isArrivals } from './profile.ts';
import { parseDuration } from './duration.ts';
import { Mistake } from './mistake.ts';
import { unknown } from './nearest.ts';
import { openLimit, refuseTooManyOpen } from './open-limit.ts';
import { ownRequest, withHeaders } from './own-request.ts';
import { isProfileName, planOf, PROFILES, type LoadPlan, type PlanParameters } from './profile.ts';
import { parseShare, WHOLE, type Share } from './share.ts';
import { parseSlos, waitingMs, withErrorBound, type Slo } from './slo.ts';
import { VARIABLES, type ScriptEnv } from './variables.ts';
import { parametersFrom, requestsOf, type CatalogueShape, type LoadRequest } from './workload.ts';

export interface Settings {
  baseUrl: string;
  /** Addresses of hosts that DNS need not know. */
  hosts: Record<string, string>;
  requests: LoadRequest[];
  plan: LoadPlan;
  /** What of the plan this k6 makes. */
  share: Share;
  /** How many generators k6 itself deals its virtual users out to, by execution segments: as the k6-operator has it do. */
  segments: number;
  /** When the load begins, in milliseconds since 1970 by the clock of this machine; null: as soon as it can. */
  beginsAtMs: number | null;
  /** Never about latency alone: errors have a bound too. */
  slos: readonly Slo[];
  /** Without HTTP/2. */
  onlyHttp1: boolean;
  /** From one request of a virtual user to its next. */
  keepsCookies: boolean;
  /** A request is given up after this. */
  timeoutMs: number;
  /** So long after the last request is due, what has no answer yet is unanswered. */
  drainMs: number;
  /** How long to wait for the expected response before the load; 0: no look beforehand. */
  readyMs: number;
  /** Requests of this share that may be open side by side; more are not sent, and counted. */
  maxOpen: number;
  /** Makes the ids of this run differ from those of another. */
  runId: string;
  /** The id if it was given: without setup's word the summary knows no other. */
  givenRunId: string | null;
  /** The seed of random arrivals and of the weights of a blend. */
  seed: number;
  /** Every request goes to standard output as a line, see print.ts. */
  prints: boolean;
  summaryFile: string | null;
  /** Without the figures of k6's own. */
  summaryIsShort: boolean;
}

/** From setup to every virtual user: each reads its settings by itself, at a time of its own. */
export type RunIdentity = Pick<Settings, 'runId' | 'seed'>;

export function readSettings(
  profile: string,
  env: ScriptEnv,
  readText: (file: string) => string,
  catalogueFile: string,
): Settings {
  const plan = planFrom(profile, env);
  const slos = env.SLO === undefined || env.SLO === '' ? [] : withErrorBound(parseSlos(env.SLO));
  const timeoutMs = waiting(env, 'TIMEOUT', slos);
  const baseUrl = baseUrlFrom(env);
  const share = env.SHARE === undefined ? WHOLE : parseShare(env.SHARE);
  const segments = env.SEGMENTS === undefined ? 1 : wholeFromOne(env, 'SEGMENTS');
  return {
    baseUrl,
    hosts: env.HOSTS === undefined ? {} : (JSON.parse(env.HOSTS) as Record<string, string>),
    requests: requestsFrom(env, readText, catalogueFile),
    plan,
    share,
    segments,
    beginsAtMs: env.BEGINS_AT === undefined ? null : number(env, 'BEGINS_AT'),
    slos,
    onlyHttp1: onlyHttp1From(env, baseUrl),
    keepsCookies: only(env, 'COOKIES', 'keep'),
    timeoutMs,
    drainMs: waiting(env, 'DRAIN', slos),
    readyMs: 1000 * parseDuration(env.READY ?? VARIABLES.READY.default),
    maxOpen: Math.ceil(maxOpenFrom(env, plan, share.of * segments, timeoutMs, slos) / share.of),
    runId: env.RUN_ID ?? Date.now().toString(36),
    givenRunId: env.RUN_ID ?? null,
    seed: plan.seed ?? Date.now() % 2 ** 31,
    prints: env.PRINT_REQUESTS === '1',
    summaryFile: env.SUMMARY_FILE ?? null,
    summaryIsShort: only(env, 'SUMMARY', 'short'),
  };
}

/** PLAN: made by the command; else the profile with what was said about it. */
function planFrom(profile: string, env: ScriptEnv): LoadPlan {
  if (!isProfileName(profile)) {
    throw new Mistake(unknown('profile', profile, Object.keys(PROFILES)));
  }
  if (env.PLAN !== undefined) {
    return JSON.parse(env.PLAN) as LoadPlan;
  }
  const parameters: PlanParameters = {};
  if (env.RATE !== undefined) parameters.ratePerSecond = number(env, 'RATE');
  if (env.DURATION !== undefined) parameters.durationSeconds = parseDuration(env.DURATION);
  if (env.WARMUP !== undefined) parameters.warmupSeconds = parseDuration(env.WARMUP);
  if (env.VUS !== undefined) parameters.clients = number(env, 'VUS');
  if (env.SEED !== undefined) parameters.seed = number(env, 'SEED');
  if (env.RETRIES !== undefined) parameters.retries = wholeFromOne(env, 'RETRIES');
  if (env.ARRIVALS !== undefined) {
    if (!isArrivals(env.ARRIVALS)) {
      throw new Mistake(`ARRIVALS is '${env.ARRIVALS}': it must be ${ARRIVALS.join(' or ')}`);
    }
    parameters.arrivals = env.ARRIVALS;
  }
  return planOf(profile, parameters);
}

function baseUrlFrom(env: ScriptEnv): string {
  const url = env.BASE_URL ?? VARIABLES.BASE_URL.default;
  if (!/^https?:\/\/[^/\s]+/.test(url)) {
    throw new Mistake(`BASE_URL is '${url}': use a form such as http://127.0.0.1:5678`);
  }
  return url.replace(/\/+$/, '');
}

/**
 * WORKLOAD_FILE: requests made ready by the command. REQUEST='POST /webhook/order', HEADERS and EXPECT
 * one per line, BODY as text: the user's own. Else WORKLOAD of the catalogue, with HEADERS besides its own.
 */
function requestsFrom(
  env: ScriptEnv,
  readText: (file: string) => string,
  catalogueFile: string,
): LoadRequest[] {
  if (env.WORKLOAD_FILE !== undefined) {
    return JSON.parse(readText(env.WORKLOAD_FILE)) as LoadRequest[];
  }
  if (env.REQUEST !== undefined) {
    return [
      ownRequest({
        request: env.REQUEST,
        headers: lines(env.HEADERS),
        body: env.BODY,
        expect: lines(env.EXPECT),
        requestIdAt: env.REQUEST_ID_AT,
      }),
    ];
  }
  const catalogue = JSON.parse(readText(env.CATALOGUE ?? catalogueFile)) as CatalogueShape;
  const requests = requestsOf(catalogue, env.WORKLOAD ?? VARIABLES.WORKLOAD.default, {
    variant: env.VARIANT,
    // PARAMETERS='n=5000,ms=10'
    parameters: parametersFrom((env.PARAMETERS ?? '').split(',').filter((pair) => pair !== '')),
  });
  return withHeaders(requests, lines(env.HEADERS));
}

/** The limit of all generators together. */
function maxOpenFrom(
  env: ScriptEnv,
  plan: LoadPlan,
  generators: number,
  timeoutMs: number,
  slos: readonly Slo[],
): number {
  if (env.MAX_OPEN === undefined || plan.loop === 'closed') {
    refuseTooManyOpen(plan, timeoutMs, slos, generators);
    return openLimit(plan, timeoutMs, generators);
  }
  return wholeFromOne(env, 'MAX_OPEN');
}

/** Not an option of k6, and a script comes too late: k6 looks at this variable as it starts. */
function onlyHttp1From(env: ScriptEnv, baseUrl: string): boolean {
  const asked = only(env, 'HTTP', '1.1');
  const isSet = (env.GODEBUG ?? '').split(',').includes('http2client=0');
  if (asked && baseUrl.startsWith('https') && !isSet) {
    throw new Mistake(
      'HTTP=1.1 takes effect only together with GODEBUG=http2client=0, which k6 itself reads: add -e GODEBUG=http2client=0',
    );
  }
  return asked;
}

type Named = Exclude<keyof ScriptEnv, 'GODEBUG'>;

/** A variable with one value besides none. */
function only(env: ScriptEnv, name: Named, value: string): boolean {
  const text = env[name] ?? '';
  if (text !== '' && text !== value) {
    throw new Mistake(`${name} is '${text}': it must be ${value} or not set`);
  }
  return text === value;
}

function wholeFromOne(env: ScriptEnv, name: Named): number {
  const value = number(env, name);
  if (!Number.isInteger(value) || value < 1) {
    throw new Mistake(`${name} is '${env[name] ?? ''}': it must be a whole number of at least 1`);
  }
  return value;
}

function waiting(env: ScriptEnv, name: 'TIMEOUT' | 'DRAIN', slos: readonly Slo[]): number {
  const given = env[name];
  const givenMs = given === undefined ? undefined : 1000 * parseDuration(given);
  return waitingMs(name, givenMs, VARIABLES[name].default, slos);
}

function number(env: ScriptEnv, name: Named): number {
  const value = Number(env[name]);
  if (!Number.isFinite(value)) {
    throw new Mistake(`${name} is '${env[name] ?? ''}': it must be a number`);
  }
  return value;
}

function lines(text: string | undefined): string[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
