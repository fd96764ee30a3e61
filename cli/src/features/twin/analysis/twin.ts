/** A workflow in which every node that leaves n8n is replaced. Pure. */
import type { ExportedWorkflow } from '../../../catalogue/exported-workflow';
import type { Credential } from '../../../catalogue/seeding';
import { nameOf, nextOf, WEBHOOK } from '../../../catalogue/triggers';
import { entryOf, type TwinRequest } from './entry';
import { callsOut, kindOf, shortType } from './node-kinds';
import type { Recording } from './recorded';
import { modelOf, replaced, withoutPeople, withOwnSecrets } from './replace';
import {
  parametersOf,
  textOf,
  type Leaving,
  type TwinRow,
  type WorkflowNode,
  type WrittenRule,
} from './types';

/** A workflow, and what its executions have recorded. */
export interface Source {
  workflow: ExportedWorkflow;
  recording: Recording;
}

export interface TwinOrder {
  /** The one that is loaded comes first; the others are those that it calls, and those that begin when one fails. */
  sources: readonly Source[];
  /** Its own among the twins that one stand-in answers, as part of a path. */
  name: string;
  trigger: string | undefined;
  /** Nodes that may leave n8n, by name. */
  allow: ReadonlySet<string>;
  /** Ids for webhooks and workflows, each once. */
  newId: () => string;
}

export interface Twin {
  name: string;
  /** The loaded one, then those that it calls: each request is an execution of each. */
  workflows: ExportedWorkflow[];
  /** Those that begin when one of them fails. */
  onError: ExportedWorkflow[];
  request: TwinRequest;
  rows: TwinRow[];
  /** Nodes that run as they are. */
  kept: number;
  leaving: Leaving[];
  /** What does not come along, a sentence each. */
  notes: string[];
  rules: WrittenRule[];
  /** What the stand-in is as a language model, where that was recorded. */
  model: Record<string, unknown> | null;
  credentials: Credential[];
}

/** Whatever no other rule of a twin answers. */
const CATCH_ALL: WrittenRule = {
  path: '/*',
  latency: { p50: '120ms', p95: '600ms' },
  json: { ok: true },
};

export function twinOf(order: TwinOrder): Twin {
  const [first, ...others] = order.sources;
  if (first === undefined) throw new Error('a twin requires a workflow');
  const { name } = order;
  const entry = entryOf(first.workflow, {
    ...{ trigger: order.trigger, slug: `twin-${name}`, newId: order.newId },
    recording: first.recording,
  });
  const context: Context = {
    ...{ twin: name, order, slugs: new Set() },
    ids: new Map(
      order.sources.map(({ workflow: { id } }) => [
        String(id),
        order.newId().replaceAll('-', '').slice(0, 16),
      ]),
    ),
  };
  const parts = [
    partOf({ ...first, workflow: entry.workflow }, entry.node, context),
    ...others.map((source) => partOf(source, null, context)),
  ];
  const begin: TwinRow = {
    ...{ node: entry.node, talksTo: 'its callers', inTest: entry.inTest },
    recordedFrom: first.recording.nodes.size === 0 ? 'nothing' : 'executions',
  };
  const off = entry.off.map((node) => ({
    ...{ node, talksTo: 'its callers', inTest: 'off', recordedFrom: '-' },
  }));
  const credentials = parts.flatMap((part) => part.credentials);
  const onError = new Set(
    order.sources.map(({ workflow }) => context.ids.get(errorWorkflowOf(workflow))),
  );
  const workflows = parts.map(({ workflow }) => workflow);
  const isOnError = (each: ExportedWorkflow): boolean =>
    each !== workflows[0] && onError.has(String(each.id));
  return {
    name,
    workflows: workflows.filter((each) => !isOnError(each)),
    onError: workflows.filter(isOnError),
    request: entry.request,
    rows: [begin, ...off, ...parts.flatMap(({ rows }) => rows)],
    kept: parts.reduce((sum, { kept }) => sum + kept, 0),
    leaving: parts.flatMap(({ leaving }) => leaving),
    notes: parts.flatMap(({ notes }) => notes),
    rules: [...parts.flatMap(({ rules }) => rules).sort(bySpecificity), CATCH_ALL],
    model: modelOf(order.sources),
    credentials: [...new Map(credentials.map((each) => [each.id, each])).values()],
  };
}

/** The first rule that fits answers, so one for all paths of a host comes after those for one path. */
const bySpecificity = (one: WrittenRule, other: WrittenRule): number =>
  Number(one['path'] === undefined) - Number(other['path'] === undefined);

/** Ids of the workflows that come along: those that it calls, and its error workflow. */
export const calledBy = (workflow: ExportedWorkflow): string[] =>
  [
    ...workflow.nodes
      .filter(({ type, disabled }) => CALLS_WORKFLOW.test(type) && disabled !== true)
      .map((node) => calledId(parametersOf(node))),
    errorWorkflowOf(workflow),
  ].filter((id) => /^[\w-]+$/.test(id));

/** The error workflow in the settings of a workflow; '' for none. */
export const errorWorkflowOf = (workflow: ExportedWorkflow): string =>
  textOf(((workflow['settings'] ?? {}) as Record<string, unknown>)['errorWorkflow']);

export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-$/, '') || 'workflow';

interface Part {
  workflow: ExportedWorkflow;
  rows: TwinRow[];
  kept: number;
  leaving: Leaving[];
  notes: string[];
  rules: WrittenRule[];
  credentials: Credential[];
}

/** What all workflows of a twin share. */
interface Context {
  twin: string;
  order: TwinOrder;
  /** Ids of the twins, by the id of the original. */
  ids: ReadonlyMap<string, string>;
  /** Names in paths of the stand-in that are taken. */
  slugs: Set<string>;
}

/** Kept by n8n's import, and meant for this n8n: what else an export has belongs to the original. */
const SETTINGS = ['executionOrder', 'timezone', 'executionTimeout', 'saveExecutionProgress'];

function partOf(
  { workflow, recording }: Source,
  entry: string | null,
  { twin, order, ids, slugs }: Context,
): Part {
  const { connections, name = 'Workflow' } = workflow;
  const part: Part = {
    ...{ workflow, rows: [], kept: 0, leaving: [], notes: [], rules: [], credentials: [] },
  };
  const nodes = workflow.nodes.map((node): WorkflowNode => {
    const called = nameOf(node);
    if (node['disabled'] === true || called === entry) return node;
    if (order.allow.has(called)) {
      part.rows.push({
        ...{ node: called, talksTo: shortType(node.type) },
        ...{ inTest: 'as it is', recordedFrom: '-' },
      });
      return node;
    }
    if (node.type === WEBHOOK) {
      // That of the first workflow is the twin's own. Another one would take the calls that are meant for the original.
      return entry === null ? { ...node, disabled: true } : node;
    }
    const answered = withoutPeople(node, recording.nodes.get(called));
    if (answered !== null) {
      part.rows.push(answered.row);
      return answered.node;
    }
    const file = fileFor(node, { workflow, recording });
    if (file === 'unknown') {
      part.notes.push(
        `'${called}' reads a file, which the stand-in can only provide from an execution: create the twin with an execution.`,
      );
    }
    if (kindOf(node.type) === 'stays' && file !== 'made up') {
      const leaving = whyLeaving(node, ids);
      if (leaving !== null) part.leaving.push({ node: called, ...leaving });
      if (node.type !== 'n8n-nodes-base.stickyNote') part.kept += 1;
      const waits = longWait(node);
      if (waits !== null) {
        part.notes.push(
          `'${called}' waits ${waits}, as in the original, so each request takes as long: shorten the wait in the twin's workflow.`,
        );
      }
      const signing = withOwnSecrets(withNewIds(node, ids));
      part.credentials.push(...signing.credentials);
      return signing.node;
    }
    let slug = slugOf(called);
    while (slugs.has(slug)) slug += '-2';
    slugs.add(slug);
    const kind = file === 'made up' ? 'service' : kindOf(node.type);
    const made = replaced(node, kind, `/node/${twin}/${slug}`, recording.nodes.get(called));
    if (made === null) {
      const advice = 'use --from-execution with an execution that shows what the node returns';
      part.leaving.push({
        ...{ node: called, why: `its type ${node.type} is not known` },
        ...(kind === 'unknown' ? { advice } : {}),
      });
      return node;
    }
    part.rows.push(made.row);
    part.rules.push(...made.rules);
    part.credentials.push(...made.credentials);
    return made.node;
  });
  const settings = Object.entries((workflow['settings'] ?? {}) as object).filter(([key]) =>
    SETTINGS.includes(key),
  );
  const onError = errorWorkflowOf(workflow);
  const errorWorkflow = ids.get(onError);
  if (onError !== '' && errorWorkflow === undefined) {
    part.notes.push(
      `The error workflow ${onError} of ${name} is not included: add its file, so that its load counts when an execution fails.`,
    );
  }
  part.workflow = {
    ...{ id: ids.get(String(workflow.id)) ?? order.newId(), name: `${name} (twin)` },
    ...{ active: false, nodes, connections: between(nodes, connections) },
    settings: {
      ...Object.fromEntries(settings),
      ...(errorWorkflow === undefined ? {} : { errorWorkflow }),
    },
  };
  return part;
}

type Connections = ExportedWorkflow['connections'];

/** Without those from or to a node that is not there: the editor does not show them, and n8n's import refuses them. */
function between(nodes: readonly WorkflowNode[], connections: Connections): Connections {
  const names = new Set(nodes.map(nameOf));
  const leads = (to: unknown): boolean =>
    names.has(textOf((to as { node?: unknown } | null)?.node));
  const cleaned = (outputs: unknown): unknown =>
    Array.isArray(outputs)
      ? outputs.map((list: unknown) => (Array.isArray(list) ? list.filter(leads) : list))
      : outputs;
  return Object.fromEntries(
    Object.entries(connections)
      .filter(([from]) => names.has(from))
      .map(([from, to]) => [
        from,
        Object.fromEntries(
          Object.entries((to ?? {}) as object).map(([kind, outputs]) => [kind, cleaned(outputs)]),
        ),
      ]),
  );
}

const ADD_FILES = 'add the files of the workflows that are called';

/** Why a node that works in n8n leaves it after all; null: it does not. */
function whyLeaving(
  node: WorkflowNode,
  ids: ReadonlyMap<string, string>,
): Omit<Leaving, 'node'> | null {
  const parameters = parametersOf(node);
  const code = ['jsCode', 'pythonCode', 'functionCode']
    .map((key) => textOf(parameters[key]))
    .join('\n');
  if (callsOut(code)) return { why: 'its code makes external calls' };
  // Agents of older versions have the credential of a database of their own.
  if (parameters['agent'] === 'sqlAgent') return { why: 'it queries a database directly' };
  const reads = node.type === READ_OR_WRITE && parameters['operation'] !== 'write';
  if (WRITES_FILE.has(node.type) && !reads)
    return { why: 'it writes a file on the machine of n8n' };
  if (!CALLS_WORKFLOW.test(node.type)) return null;
  if (['parameter', 'localFile', 'url'].includes(textOf(parameters['source']))) {
    return { why: 'none of the files contains the workflow that it calls' };
  }
  const id = calledId(parameters);
  if (ITSELF.test(id) || ids.has(id)) return null;
  return id.startsWith('=')
    ? { why: 'the workflow that it calls is known only at run time' }
    : {
        why: `the workflow ${id || '?'}, which it calls, is not in any of the files`,
        advice: ADD_FILES,
      };
}

/** They take a file apart, of which the stand-in knows the size and the kind alone. */
const READS_FILE = new Set(
  ['extractFromFile', 'moveBinaryData', 'readPDF', 'spreadsheetFile'].map(
    (name) => `n8n-nodes-base.${name}`,
  ),
);

/** What a node that takes a file apart is given in the twin; null: it takes none, or one that n8n has made. */
function fileFor(
  node: WorkflowNode,
  { workflow, recording }: Source,
): 'made up' | 'unknown' | null {
  if (!READS_FILE.has(node.type)) return null;
  const { mode, operation = '' } = parametersOf(node);
  if (mode === 'jsonToBinary' || operation === 'toFile') return null;
  const reached = new Set([nameOf(node)]);
  for (const name of reached) {
    for (const [from, to] of Object.entries(workflow.connections)) {
      if (nextOf(to).includes(name)) reached.add(from);
    }
  }
  reached.delete(nameOf(node));
  const outside = workflow.nodes.filter(
    (each) => reached.has(nameOf(each)) && ['http', 'service'].includes(kindOf(each.type)),
  );
  const isRecorded = recording.nodes.has(nameOf(node));
  const given = workflow.nodes.some(
    (each) =>
      reached.has(nameOf(each)) &&
      kindOf(each.type) !== 'stays' &&
      recording.nodes.get(nameOf(each))?.files !== undefined,
  );
  if (isRecorded && given && kindOf(node.type) === 'stays') return 'made up';
  return !given && !isRecorded && outside.length > 0 ? 'unknown' : null;
}

/** Seconds of the units of a wait. */
const UNITS: Record<string, number> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };
/** A wait above it is worth a word. */
const LONG_SECONDS = 60;

/** How long a node of fixed time waits; null where that is short, or known only when the workflow runs. */
function longWait(node: WorkflowNode): string | null {
  // What an export leaves out is the default of the version of the node.
  const [defaultAmount, defaultUnit] =
    Number(node['typeVersion'] ?? 1) > 1 ? [5, 'seconds'] : [1, 'hours'];
  const {
    resume = 'timeInterval',
    amount = defaultAmount,
    unit = defaultUnit,
  } = parametersOf(node);
  if (node.type !== 'n8n-nodes-base.wait' || resume !== 'timeInterval') return null;
  const count = typeof amount === 'number' ? amount : 0;
  const seconds = count * (UNITS[textOf(unit)] ?? 0);
  return seconds > LONG_SECONDS ? `${String(count)} ${textOf(unit)}` : null;
}

/** It reads unless it says otherwise. */
const READ_OR_WRITE = 'n8n-nodes-base.readWriteFile';
const WRITES_FILE = new Set([READ_OR_WRITE, 'n8n-nodes-base.writeBinaryFile']);
/** In the twin it is the id of the twin. */
const ITSELF = /^=\{\{\s*\$workflow\.id\s*\}\}$/;
const CALLS_WORKFLOW = /\.(executeWorkflow|toolWorkflow|retrieverWorkflow)$/;

function calledId({ workflowId }: Record<string, unknown>): string {
  if (typeof workflowId === 'object' && workflowId !== null) {
    return String((workflowId as { value?: unknown }).value ?? '');
  }
  return typeof workflowId === 'number' ? String(workflowId) : textOf(workflowId);
}

function withNewIds(node: WorkflowNode, ids: ReadonlyMap<string, string>): WorkflowNode {
  const parameters = parametersOf(node);
  const id = ids.get(calledId(parameters));
  if (!CALLS_WORKFLOW.test(node.type) || id === undefined) return node;
  const workflowId =
    typeof parameters['workflowId'] === 'object' ? { __rl: true, mode: 'id', value: id } : id;
  return { ...node, parameters: { ...parameters, workflowId } };
}
