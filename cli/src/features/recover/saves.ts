/** What n8n saves by its own settings decides what can be recovered. Its API does not tell them: who runs a pass may know. */
import type { TaggedWorkflow } from './n8n';

/** Null: not known. A workflow may have settings of its own. */
export interface Saves {
  failures: boolean | null;
  successes: boolean | null;
  /** After each node. */
  progress: boolean | null;
}

export const NOTHING_KNOWN: Saves = {
  ...{ failures: null, successes: null, progress: null },
};

/** From variables as n8n and the chart have them; what is not set is not known. */
export const savesIn = (env: Readonly<Record<string, string | undefined>>): Saves => ({
  failures: oneOf(env['EXECUTIONS_DATA_SAVE_ON_ERROR'], 'all', 'none'),
  successes: oneOf(env['EXECUTIONS_DATA_SAVE_ON_SUCCESS'], 'all', 'none'),
  progress: oneOf(env['EXECUTIONS_DATA_SAVE_ON_PROGRESS'], 'true', 'false'),
});

function oneOf(value: string | undefined, yes: string, no: string): boolean | null {
  return value === yes ? true : value === no ? false : null;
}

/** Said when a pass begins: what its retries can do at all. */
export function saidAtStart(saves: Saves, hasQueue: boolean): string[] {
  return [
    ...(saves.failures === false
      ? [
          'n8n saves no failed executions (EXECUTIONS_DATA_SAVE_ON_ERROR is none): recovery is impossible, except for workflows whose own settings save them',
        ]
      : []),
    ...(!hasQueue && saves.successes === false
      ? [
          'n8n saves no successful executions (EXECUTIONS_DATA_SAVE_ON_SUCCESS is none) and has no queue: recovery is impossible, except for workflows whose own settings save them',
        ]
      : []),
    ...(saves.progress === null
      ? []
      : [
          saves.progress
            ? 'n8n saves progress: a retry starts at the node that was running'
            : 'n8n does not save progress: a retry starts at the trigger and runs every node again',
        ]),
    ...(saves.failures === null || (!hasQueue && saves.successes === null)
      ? ['the n8n settings for saving executions are unknown: only the workflow settings are known']
      : []),
  ];
}

/** Why nothing of a workflow is retried: nobody could know what came of its retries. Null: it is. */
export function refusalOf(
  { savesFailures, savesSuccesses }: TaggedWorkflow,
  saves: Saves,
  hasQueue: boolean,
): string | null {
  if ((savesFailures ?? saves.failures) === false) {
    const whose = savesFailures === false ? 'its settings save' : 'n8n saves';
    return `${whose} no failed executions, so n8n deletes lost executions and failed retries of this workflow`;
  }
  // In queue mode the worker notes the success at the original before main deletes the retry.
  if (!hasQueue && (savesSuccesses ?? saves.successes) !== true) {
    return 'without --redis, n8n must save successful executions of this workflow, because in regular mode n8n otherwise forgets that a retry succeeded: set saveDataSuccessExecution: all in the workflow settings, or EXECUTIONS_DATA_SAVE_ON_SUCCESS=all';
  }
  return null;
}

/** What a process of n8n shows at /metrics; null: it did not respond, or responded with something else. */
export interface SeenMetrics {
  url: string;
  /** A worker runs jobs, and overwrites what a dead worker had. */
  isWorker: boolean;
  text: string | null;
}

/** Whether n8n keeps what it had stored of an execution whose worker has died. */
export interface KeptStalled {
  state: 'in force' | 'not in force' | 'not known';
  /** A sentence without a full stop. */
  text: string;
}

const PATCH = 'keep-stalled';
const IN_FORCE = ['known', 'proven', 'not needed'];
/** The process has not loaded that code, which in main is so for good. */
const UNDECIDED = 'waiting';

/** By the gauge of the processes that run, since a setting of the chart does not say whether the patch fits this n8n. Pure. */
export function keptStalled(seen: readonly SeenMetrics[]): KeptStalled {
  const states = seen.flatMap(({ url, isWorker, text }) =>
    text === null ? [] : [{ url, isWorker, state: stateIn(text) }],
  );
  const without = states.find(({ state }) => ![...IN_FORCE, UNDECIDED].includes(state));
  if (without !== undefined) {
    return {
      state: 'not in force',
      text: `${PATCH} is not in force in the process at ${without.url} (${without.state}): this pass cannot recover executions that n8n overwrote when a worker died`,
    };
  }
  const workers = states.filter(({ isWorker, state }) => isWorker && state !== UNDECIDED);
  const missing = seen.find(({ isWorker, text }) => isWorker && text === null);
  if (workers.length > 0 && missing === undefined) {
    const where = workers.length === 1 ? 'the worker' : `all ${String(workers.length)} workers`;
    return { state: 'in force', text: `${PATCH} is in force in ${where} that responded` };
  }
  const why =
    missing === undefined
      ? 'no metrics of a worker show the state of the patch'
      : `the metrics at ${missing.url} cannot be read`;
  return {
    state: 'not known',
    text: `it is unknown whether ${PATCH} is in force, because ${why}: this pass may not recover executions that n8n overwrote when a worker died`,
  };
}

function stateIn(text: string): string {
  const row = new RegExp(`^n8n_tuned_patch_in_force\\{([^}]*patch="${PATCH}"[^}]*)\\}`, 'm').exec(
    text,
  );
  return /state="([^"]*)"/.exec(row?.[1] ?? '')?.[1] ?? 'not loaded';
}

/** p99 of the lag of their event loops, the longest of them, in seconds; null: none shows it. */
export function lagIn(seen: readonly SeenMetrics[]): number | null {
  const lags = seen.flatMap(({ text }) => {
    const shown = /^(?:\w+_)?nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? (\S+)/m.exec(
      text ?? '',
    );
    const lag = Number(shown?.[1] ?? NaN);
    return Number.isFinite(lag) ? [lag] : [];
  });
  return lags.length === 0 ? null : Math.max(...lags);
}
