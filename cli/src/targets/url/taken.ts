/** What n8n's public API takes of an exported workflow; everything else it refuses, the rest with it. Pure. */
import type { ExportedWorkflow } from '../../catalogue/exported-workflow';

/** Since n8n has had the API. */
const FIRST_SETTINGS = [
  ...['saveExecutionProgress', 'saveManualExecutions', 'saveDataErrorExecution'],
  ...['saveDataSuccessExecution', 'executionTimeout', 'timezone'],
];
/** Settings of n8n 2.41; older versions refuse some of them. */
const LATER_SETTINGS = [
  ...['executionOrder', 'callerPolicy', 'callerIds', 'timeSavedMode', 'timeSavedPerExecution'],
  'redactionPolicy',
];

/** They say nothing of how it runs, or are n8n's own notes on it. */
const BOOKKEEPING = new Set([
  ...['id', 'name', 'nodes', 'connections', 'settings', 'active', 'activeVersion', 'isArchived'],
  ...['activeVersionId', 'createdAt', 'updatedAt', 'versionId', 'versionCounter', 'triggerCount'],
  ...['meta', 'shared', 'description', 'nodeGroups', 'parentFolderId', 'hash'],
]);

export interface TakenWorkflow {
  body: {
    name: string;
    nodes: ExportedWorkflow['nodes'];
    connections: ExportedWorkflow['connections'];
    settings: Record<string, unknown>;
  };
  /** By name, what of the file is not in it. */
  leftOut: string[];
}

/** `first`: for an n8n that has refused what later ones take. */
export function takenOf(workflow: ExportedWorkflow, which: 'all' | 'first' = 'all'): TakenWorkflow {
  const { name = 'Load test', nodes, connections } = workflow;
  const given = Object.entries((workflow['settings'] ?? {}) as Record<string, unknown>).filter(
    // So the editor writes what is as n8n has it anyway.
    ([, value]) => value !== 'DEFAULT' && value !== null,
  );
  const known = which === 'all' ? [...FIRST_SETTINGS, ...LATER_SETTINGS] : FIRST_SETTINGS;
  const isTaken = ([setting]: [string, unknown]): boolean => known.includes(setting);
  return {
    body: { name, nodes, connections, settings: Object.fromEntries(given.filter(isTaken)) },
    leftOut: [
      ...given.filter((each) => !isTaken(each)).map(([setting]) => `settings.${setting}`),
      ...Object.entries(workflow)
        .filter(([key, value]) => !BOOKKEEPING.has(key) && !isEmpty(value))
        .map(([key]) => key),
    ],
  };
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);
