/** What n8n saves by its own settings decides what can be recovered. Its API does not tell them: who runs a pass may know. */
import type { TaggedWorkflow } from './n8n';

/** Null: not known. A workflow may have settings of its own. */
export interface Saves {
  failures: boolean | null;
  successes: boolean | null;
  /** After each node. */
  progress: boolean | null;
  /** Queue mode: what it had stored of an execution whose worker has died, by the patch keep-stalled. */
  stalled: boolean | null;
}

export const NOTHING_KNOWN: Saves = {
  ...{ failures: null, successes: null, progress: null, stalled: null },
};

/** From variables as n8n and the chart have them; what is not set is not known. */
export const savesIn = (env: Readonly<Record<string, string | undefined>>): Saves => ({
  failures: oneOf(env['EXECUTIONS_DATA_SAVE_ON_ERROR'], 'all', 'none'),
  successes: oneOf(env['EXECUTIONS_DATA_SAVE_ON_SUCCESS'], 'all', 'none'),
  progress: oneOf(env['EXECUTIONS_DATA_SAVE_ON_PROGRESS'], 'true', 'false'),
  stalled: oneOf(env['RECOVERY_KEEPS_STALLED'], 'true', 'false'),
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
    ...(hasQueue && saves.stalled === false
      ? [
          'n8n runs without keep-stalled: executions that it overwrote when a worker died cannot be recovered',
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
    return `${whose} no failed executions, so that n8n deletes what is lost of it, or a retry that failed`;
  }
  // In queue mode the worker notes the success at the original before main deletes the retry.
  if (!hasQueue && (savesSuccesses ?? saves.successes) !== true) {
    return 'without --redis its successful executions must be saved, by its settings (saveDataSuccessExecution: all) or as n8n is known to have it (EXECUTIONS_DATA_SAVE_ON_SUCCESS): in regular mode n8n otherwise forgets that a retry has succeeded';
  }
  return null;
}
