/** Whether k6 makes the load of the plan, or was told to make another. Nothing is imported from k6 here. */
import type { Settings } from './settings.ts';

/** The options as k6 put them together: the script's, its configuration file, its environment, its command line. */
export type K6Options = Readonly<Record<string, unknown>>;

interface PlannedScenario {
  executor: string;
  vus: number;
  iterations?: number;
}

/** What k6 has for each, on its command line. */
const OTHER_LOAD = {
  vus: '--vus',
  iterations: '--iterations',
  duration: '--duration',
  stages: '--stage',
  rps: '--rps',
  minIterationDuration: '--min-iteration-duration',
  batch: '--batch',
  batchPerHost: '--batch-per-host',
  executionSegment: '--execution-segment',
} as const satisfies Record<string, string>;

/**
 * Null where k6 makes the load of the plan; else one sentence. `given` are the options of the script, into which k6
 * writes what it was told elsewhere, and `running` the scenarios that it runs.
 */
export function otherLoad(
  settings: Pick<Settings, 'plan' | 'segments'>,
  own: K6Options,
  given: K6Options,
  running: K6Options,
): string | null {
  const flags = Object.entries(OTHER_LOAD)
    .filter(([name]) => isSet(given[name]) && given[name] !== own[name])
    .filter(([name]) => name !== 'executionSegment' || settings.segments === 1)
    .map(([, flag]) => flag);
  if (flags.length > 0) return refusal(`was given ${flags.join(' and ')}`, settings);
  const planned = JSON.stringify(shapesOf(own['scenarios'] as K6Options));
  return JSON.stringify(shapesOf(running)) === planned
    ? null
    : refusal('does not run the scenario of the script', settings);
}

/** Setup is where all this is looked at, so without it no load is made. */
export const withoutSetup = (settings: Pick<Settings, 'plan'>): string =>
  refusal('was given --no-setup', settings);

/** Says that the plan has fewer lanes: setup was made elsewhere, as a controller of k6 may do by its API. */
export const tooManyLanes = (settings: Pick<Settings, 'plan'>): string =>
  refusal('runs more iterations than the plan has', settings);

function refusal(what: string, { plan }: Pick<Settings, 'plan'>): string {
  const variables =
    plan.loop === 'open' ? 'RATE, DURATION, WARMUP and MAX_OPEN' : 'VUS and DURATION';
  return `k6 ${what}, because of an option, a variable K6_... or a configuration file. Its load would not follow the plan of this script: remove it, and set ${variables} with -e, as in k6 run -e DURATION=1m ${plan.profile}.ts; no load was generated`;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** Durations are left out: k6 writes them in its own way, and an option that replaces them replaces the executor too. */
function shapesOf(scenarios: K6Options): Record<string, PlannedScenario> {
  return Object.fromEntries(
    Object.entries(scenarios).map(([name, scenario]) => {
      const { executor, vus, iterations } = scenario as PlannedScenario;
      return [name, { executor, vus, ...(iterations ? { iterations } : {}) }];
    }),
  );
}
