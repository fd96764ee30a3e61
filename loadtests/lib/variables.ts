/**
 * Every `-e NAME=value` that the scripts read, declared once: settings.ts reads these and no others, and the tables of
 * README.md are generated from them. Nothing is imported from k6 here.
 */
import { DEFAULT_ARRIVALS } from './profile.ts';

interface ScriptVariable {
  /** For whom reads the table. */
  what: string;
  /** The value where nobody gives one, as one would write it; `profile`: each profile has its own. */
  default?: string;
  example?: string;
}

type Group = Readonly<Record<string, ScriptVariable>>;

const TARGET = {
  BASE_URL: {
    what: 'The URL of n8n, without a path.',
    default: 'http://127.0.0.1:5678',
    example: 'https://n8n.example.com',
  },
  HTTP: {
    what: '`1.1` disables HTTP/2 over HTTPS. k6 decides this before it runs a script, so add `-e GODEBUG=http2client=0`.',
    example: '1.1',
  },
  COOKIES: {
    what: 'With `keep`, each virtual user keeps its cookies. Otherwise, every request starts without cookies, like the first request of a new client.',
    example: 'keep',
  },
} as const satisfies Group;

const REQUEST = {
  WORKLOAD: {
    what: 'The name of a [workload](../docs/workloads.md) whose workflow is in n8n.',
    default: 'last-node',
    example: 'wait-5s',
  },
  VARIANT: { what: 'The variant of the workload.', example: 'load-target' },
  PARAMETERS: { what: 'Parameters of the workload.', example: 'n=5000' },
  REQUEST: {
    what: 'Your own request, instead of a workload.',
    example: "'POST /webhook/order'",
  },
  BODY: {
    what: 'The body of your own request. `{{n}}`, `{{id}}`, `{{uuid}}` and `{{pick:a|b}}` change with each request, and also work in the path and the headers.',
    example: '\'{"id":{{n}}}\'',
  },
  HEADERS: {
    what: 'Headers, one per line; also added to the requests of a workload.',
    example: "'x-load-key: ...'",
  },
  EXPECT: {
    what: 'The expected response, one condition per line. By default, the status must be 200 to 299, and the response must be neither a login page nor the editor.',
    example: 'json.ok==true',
  },
  REQUEST_ID_AT: {
    what: 'Where the response contains the value of the `x-load-id` header. A response to another request then counts as an error.',
    example: 'json.id',
  },
} as const satisfies Group;

const LOAD = {
  RATE: {
    what: 'Requests per second in an open profile, whether or not n8n has responded.',
    default: 'profile',
    example: '20',
  },
  VUS: {
    what: 'Number of clients in the `closed` profile. Each client waits for its response before it sends the next request.',
    default: 'profile',
    example: '8',
  },
  DURATION: { what: 'Length of the measured part.', default: 'profile', example: '5m' },
  WARMUP: {
    what: 'Length of the warm-up before the measured part.',
    default: 'profile',
    example: '10s',
  },
  ARRIVALS: {
    what: '`even`, or `random` to simulate many independent callers.',
    default: DEFAULT_ARRIVALS,
    example: 'random',
  },
  RETRIES: {
    what: 'How often a caller repeats a request, with the same id, if it does not get the expected response.',
    example: '2',
  },
  SEED: {
    what: 'Seed for random arrivals and blends. The same seed gives the same load.',
    example: '7',
  },
  MAX_OPEN: {
    what: 'Maximum number of open requests. If this number is reached, k6 sends no more requests, and the run is invalid. Default: rate x timeout, at most 10000.',
    example: '20000',
  },
} as const satisfies Group;

const LIMITS = {
  SLO: {
    what: 'Conditions on `p50` to `p99.9`, `max`, `mean`, `errors` or `throughput`. If there is no condition on errors, `errors<5%` is added.',
    example: "'p95<300ms,errors<1%'",
  },
  TIMEOUT: {
    what: 'Time after which a request is abandoned. If it is not set, at least twice the largest latency that `SLO` allows.',
    default: '60s',
    example: '30s',
  },
  DRAIN: {
    what: 'How long to wait for responses after the last request was due. If it is not set, at least twice the largest latency that `SLO` allows.',
    default: '30s',
    example: '10s',
  },
  READY: {
    what: 'How long to wait for the expected response before the load starts; `0` skips this check.',
    default: '60s',
    example: '5m',
  },
} as const satisfies Group;

const OUTPUT = {
  SUMMARY: {
    what: "`short` leaves out k6's own metrics below the summary.",
    example: 'short',
  },
  SUMMARY_FILE: {
    what: 'File for the summary as JSON; `stdout` prints the summary.',
    example: 'summary.json',
  },
  CATALOGUE: { what: 'Path of another workload catalogue.', example: '/path/to/catalogue.json' },
} as const satisfies Group;

/** Given by the command `n8n-tuned` and by the chart, which divide one plan among several generators. */
const FROM_PROGRAMS = {
  PLAN: { what: 'The whole plan, as JSON.' },
  WORKLOAD_FILE: { what: 'File with the requests, as JSON.' },
  HOSTS: { what: 'Addresses of hosts, as JSON.' },
  SHARE: { what: 'The part of the plan that this generator runs, such as `2/3`.' },
  SEGMENTS: {
    what: 'Total number of generators, if the k6-operator gives each generator an execution segment.',
  },
  BEGINS_AT: { what: 'Start time of the load, in milliseconds since 1970.' },
  RUN_ID: { what: 'Part of each request id, so that ids differ between runs.' },
  PRINT_REQUESTS: { what: 'With `1`, k6 prints each request as a line on standard output.' },
} as const satisfies Group;

export const VARIABLES = {
  ...{ ...TARGET, ...REQUEST },
  ...{ ...LOAD, ...LIMITS },
  ...{ ...OUTPUT, ...FROM_PROGRAMS },
};

export type VariableName = keyof typeof VARIABLES;

/** GODEBUG is Go's own, and with k6 the only way to HTTP/1.1. */
export type ScriptEnv = Readonly<Partial<Record<VariableName | 'GODEBUG', string>>>;

/** In reading order, by their titles. */
export const GROUPS: Readonly<Record<string, Group>> = {
  Target: TARGET,
  Requests: REQUEST,
  Load: LOAD,
  Requirements: LIMITS,
  Output: OUTPUT,
  'Set by the command and the chart': FROM_PROGRAMS,
};
