/**
 * Every `-e NAME=value` that the scripts read, declared once: settings.ts reads these and no others, and the tables of
 * README.md are generated from them. Nothing is imported from k6 here.
 */
import { DEFAULT_ARRIVALS } from './profile.ts';

interface ScriptVariable {
  /** For whom reads the table. */
  what: string;
  /** The value where nobody gives one, as one would write it; `profile`: each profile has its own. */
  usual?: string;
  example?: string;
}

type Group = Readonly<Record<string, ScriptVariable>>;

const TARGET = {
  BASE_URL: {
    what: 'Where n8n answers, without a path.',
    usual: 'http://127.0.0.1:5678',
    example: 'https://n8n.example.com',
  },
  HTTP: {
    what: '`1.1`: no HTTP/2 over https. k6 decides this before it runs a script, so add `-e GODEBUG=http2client=0`.',
    example: '1.1',
  },
  COOKIES: {
    what: '`keep`: each virtual user keeps its cookies. Otherwise every request begins without any, as that of a new client.',
    example: 'keep',
  },
} as const satisfies Group;

const REQUEST = {
  WORKLOAD: {
    what: 'One of the [workloads](../docs/workloads.md), whose workflow is in n8n.',
    usual: 'last-node',
    example: 'wait-5s',
  },
  VARIANT: { what: 'The variant of the workload.', example: 'load-target' },
  PARAMETERS: { what: 'Parameters of the workload.', example: 'n=5000' },
  REQUEST: {
    what: 'Your own request in place of a workload.',
    example: "'POST /webhook/order'",
  },
  BODY: {
    what: 'The body of your own request. `{{n}}`, `{{id}}`, `{{uuid}}` and `{{pick:a|b}}` differ in each, also in its path and headers.',
    example: '\'{"id":{{n}}}\'',
  },
  HEADERS: { what: 'Headers, one per line, also for a workload.', example: "'x-load-key: ...'" },
  EXPECT: {
    what: 'What the response must be, one per line; a status of 200 to 299, no login page and no editor are always expected unless you name the status.',
    example: 'json.ok==true',
  },
  REQUEST_ID_AT: {
    what: 'Where the response repeats the header `x-load-id`: then a response to another request is an error.',
    example: 'json.id',
  },
} as const satisfies Group;

const LOAD = {
  RATE: {
    what: 'Requests per second of an open profile, whether or not n8n has answered.',
    usual: 'profile',
    example: '20',
  },
  VUS: {
    what: 'Clients of the profile `closed`: each waits for its response.',
    usual: 'profile',
    example: '8',
  },
  DURATION: { what: 'How long is measured.', usual: 'profile', example: '5m' },
  WARMUP: { what: 'Sent before it, and not measured.', usual: 'profile', example: '10s' },
  ARRIVALS: {
    what: '`even`, or `random` as of many callers who do not know each other.',
    usual: DEFAULT_ARRIVALS,
    example: 'random',
  },
  SEED: { what: 'Of random arrivals and of blends: the same seed, the same load.', example: '7' },
  MAX_OPEN: {
    what: 'Requests open at the same time; more are not sent, and the run is not valid. Default: rate x timeout, at most 10000.',
    example: '20000',
  },
} as const satisfies Group;

const LIMITS = {
  SLO: {
    what: 'What must hold: `p50` to `p99.9`, `max`, `mean`, `errors`, `throughput`. `errors<5%` is added where it says nothing about errors.',
    example: "'p95<300ms,errors<1%'",
  },
  TIMEOUT: { what: 'A request is given up after this.', usual: '60s', example: '30s' },
  DRAIN: {
    what: 'Wait for responses this long after the last request was due.',
    usual: '30s',
    example: '10s',
  },
  READY: {
    what: 'Wait this long for the expected response before the load; `0`: do not look.',
    usual: '60s',
    example: '5m',
  },
} as const satisfies Group;

const OUTPUT = {
  SUMMARY: {
    what: "`short`: no figures of k6's own below the summary.",
    example: 'short',
  },
  SUMMARY_FILE: { what: 'The summary as JSON; `stdout` prints it.', example: 'summary.json' },
  CATALOGUE: { what: 'Another catalogue of workloads.', example: '/path/to/catalogue.json' },
} as const satisfies Group;

/** Given by the command `n8n-tuned` and by the chart, which divide one plan among several generators. */
const FROM_PROGRAMS = {
  PLAN: { what: 'The whole plan as JSON.' },
  WORKLOAD_FILE: { what: 'A file with the requests as JSON.' },
  HOSTS: { what: 'Addresses of hosts as JSON.' },
  SHARE: { what: 'The part of the plan that this generator makes, such as `2/3`.' },
  SEGMENTS: {
    what: "Of how many generators k6's execution segment makes this one; the k6-operator gives the segment.",
  },
  BEGINS_AT: { what: 'When the load begins, in milliseconds since 1970.' },
  RUN_ID: { what: 'Makes the ids of requests differ from those of other runs.' },
  PRINT_REQUESTS: { what: '`1`: each request as a line on standard output.' },
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
  'What is loaded': TARGET,
  'What is sent': REQUEST,
  'How much': LOAD,
  'What must hold': LIMITS,
  'What comes out': OUTPUT,
  'Given by the command and the chart': FROM_PROGRAMS,
};
