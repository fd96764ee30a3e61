// The parts of the study of small pods, and its search downwards. Pure.
import type { Part } from '../../cli/src/features/study/study';
import type { Asked, RoleName } from '../one-role';

export const ROLES: Record<RoleName, string> = {
  main: 'main, regular mode',
  'main-queue': 'main, queue mode',
  worker: 'worker',
  webhook: 'webhook processor',
};

/** What n8n loads at its start for features that a workflow does without. */
const FEWER_MODULES = {
  N8N_DISABLED_MODULES: [
    ...['instance-ai', 'agents', 'chat-hub', 'mcp', 'mcp-registry', 'workflow-builder', 'insights'],
    ...[
      'ldap',
      'sso-oidc',
      'sso-saml',
      'external-secrets',
      'source-control',
      'log-streaming',
      'otel',
    ],
    ...[
      'breaking-changes',
      'quick-connect',
      'workflow-reviews',
      'dynamic-credentials',
      'favorites',
    ],
    ...['provisioning', 'instance-version-history', 'token-exchange', 'oauth-jwe', 'n8n-packages'],
    'runtime-credentials',
  ].join(),
};
const NO_EDITOR = { N8N_DISABLE_UI: 'true' };
const SMALL_SEMI_SPACE = { NODE_OPTIONS: '--max-semi-space-size=2' };
/** n8n refuses the mode without a token; no runner connects. */
const RUNNER_OUTSIDE = { N8N_RUNNERS_MODE: 'external', N8N_RUNNERS_AUTH_TOKEN: 'unused' };

/**
 * What is set: a tuning and variables of the process; `heapShare` of the memory limit, left out: the tuning's own;
 * `isSecondStart`: what the first one leaves behind counts. Each but the first begins with the chart's default.
 */
interface Setting {
  title: string;
  tuning?: string;
  env?: Record<string, string>;
  heapShare?: number;
  isSecondStart?: boolean;
}
export const SETTINGS: Record<string, Setting> = {
  'as-it-comes': { title: 'n8n as it comes', tuning: 'none' },
  default: { title: "the chart's default" },
  'fewer-modules': { title: 'without modules that it does not need', env: FEWER_MODULES },
  'no-editor': { title: 'without the editor', env: NO_EDITOR },
  'runner-outside': { title: 'task runner in another container', env: RUNNER_OUTSIDE },
  'small-semi-space': { title: 'a small young generation', env: SMALL_SEMI_SPACE },
  'compile-cache': { title: "Node.js's compile cache, second start", isSecondStart: true },
  lean: {
    title: 'without the editor and modules, small young generation, a larger share for the heap',
    env: { ...FEWER_MODULES, ...NO_EDITOR, ...SMALL_SEMI_SPACE },
    heapShare: 2 / 3,
  },
};

/** MiB, and millicores. */
const MEMORY = [160, 192, 224, 256, 320, 384, 448, 512, 576, 640, 704, 768, 896, 1024];
const CPU = [25, 50, 75, 100, 150, 200, 300, 500, 1000];
/** The chart's least limit of a main, and so much CPU that a start is not held up for long. */
export const ROOMY = { memoryMiB: 1024, cpuMillicores: 1000 };

/** A start in too little memory only collects garbage; the chart's startup probe waits for 300 s. */
export const READY_WITHIN_SECONDS = { memory: 60, cpu: 300, settings: 300 };

/** One request per second: their number, and how many may take longer than until the next one is due. */
export const LOAD = { requests: 8, lateMs: 1000, lateAtMost: 1 };

export interface SearchPart extends Part {
  kind: 'memory' | 'cpu' | 'settings';
  role: RoleName;
  settings: readonly string[];
  /** To search among. */
  values?: readonly number[];
  /** Limits under which a whole start is measured too, by setting. */
  starts?: Record<string, number[]>;
}

const memory = (role: RoleName): SearchPart => ({
  ...{ name: `memory-${role}`, kind: 'memory', role, seconds: role === 'main' ? 150 : 165 },
  ...{ settings: ['as-it-comes', 'default', 'lean'], values: MEMORY },
});
const cpu = (role: RoleName): SearchPart => ({
  ...{ name: `cpu-${role}`, kind: 'cpu', role, seconds: role === 'main' ? 210 : 225 },
  ...{ settings: ['as-it-comes', 'default'], values: CPU },
  starts: { default: [500, 250] },
});
const NAMES = Object.keys(ROLES) as RoleName[];

/** Each a search per setting, but for the last one: every setting once, with the same roomy limits. Seconds: about. */
export const PARTS: SearchPart[] = [
  ...NAMES.map(memory),
  ...NAMES.map(cpu),
  {
    ...{ name: 'settings-main', kind: 'settings', role: 'main', seconds: 190 },
    settings: Object.keys(SETTINGS),
  },
];

export const QUICK_PARTS: SearchPart[] = [
  { ...memory('main'), settings: ['default'], values: [512, 640, 1024], seconds: 40 },
  { ...cpu('main'), settings: ['default'], values: [100, 500], starts: {}, seconds: 35 },
  { ...memory('worker'), settings: ['default'], values: [512, 1024], seconds: 45 },
];

export interface Tried {
  value: number;
  passed: boolean;
}

/**
 * The next of the ascending `values` to try in a search for the least that passes, given the trials so far; null once it is
 * found, or none passes. What has passed is taken to pass with more.
 */
export function nextToTry(values: readonly number[], trials: readonly Tried[]): number | null {
  const of = (value: number) => trials.find((trial) => trial.value === value);
  const failed = values.findLastIndex((value) => of(value)?.passed === false);
  const passed = values.findIndex((value) => of(value)?.passed === true);
  const above = passed < 0 ? values.length : passed;
  return above - failed <= 1 ? null : (values[Math.floor((failed + above) / 2)] ?? null);
}

/** Null: none passed. */
export const lowestThatPassed = (trials: readonly Tried[]): number | null =>
  trials.reduce<number | null>(
    (min, { value, passed }) => (passed && (min === null || value < min) ? value : min),
    null,
  );

/** The limits and variables of one trial, as a bench takes them. */
export function asked(
  name: string,
  limits: Asked,
  { cacheFolder }: { cacheFolder: string },
): Asked {
  const { tuning = 'default', env = {}, heapShare, isSecondStart = false } = SETTINGS[name] ?? {};
  const { memoryMiB } = limits;
  const hasShare = heapShare !== undefined && memoryMiB !== undefined;
  return {
    ...{ tuning, ...limits },
    ...(hasShare ? { heapMiB: Math.floor(heapShare * memoryMiB) } : {}),
    env: { ...env, ...(isSecondStart ? { NODE_COMPILE_CACHE: cacheFolder } : {}) },
  };
}

export interface Answer {
  isExpected: boolean;
  ms: number;
}

/** Whether each request got the expected response, and in time. */
export const isSustained = (
  responses: readonly Answer[],
  { requests, lateMs, lateAtMost }: typeof LOAD,
): boolean =>
  responses.length === requests &&
  responses.every(({ isExpected }) => isExpected) &&
  responses.filter(({ ms }) => ms > lateMs).length <= lateAtMost;
