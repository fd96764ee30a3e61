/** A workflow in which every node that leaves n8n is replaced. Pure. */
import type { ExportedWorkflow } from '../../../catalogue/exported-workflow';
import type { Credential } from '../../../catalogue/seeding';
import { nameOf, WEBHOOK } from '../../../catalogue/triggers';
import { entryOf, type TwinRequest } from './entry';
import { callsOut, kindOf, shortType } from './node-kinds';
import type { RecordedNode } from './recorded';
import { replaced } from './replace';
import {
  parametersOf,
  textOf,
  type Leaving,
  type TwinRow,
  type WorkflowNode,
  type WrittenRule,
} from './types';

export interface TwinOrder {
  /** The one that is loaded comes first; the others are those that it calls. */
  workflows: readonly ExportedWorkflow[];
  trigger: string | undefined;
  /** Nodes that may leave n8n, by name. */
  allow: ReadonlySet<string>;
  /** Of nodes of the first workflow, by name. */
  recorded: ReadonlyMap<string, RecordedNode>;
  /** Ids for webhooks and workflows, each once. */
  newId: () => string;
}

export interface Twin {
  name: string;
  workflows: ExportedWorkflow[];
  request: TwinRequest;
  rows: TwinRow[];
  /** Nodes that run as they are. */
  kept: number;
  leaving: Leaving[];
  rules: WrittenRule[];
  credentials: Credential[];
}

/** Whatever no other rule of a twin answers. */
const CATCH_ALL: WrittenRule = {
  path: '/*',
  latency: { p50: '120ms', p95: '600ms' },
  json: { ok: true },
};

export function twinOf(order: TwinOrder): Twin {
  const [first, ...called] = order.workflows;
  if (first === undefined) throw new Error('a twin is one of a workflow');
  const name = slugOf(first.name ?? 'workflow');
  const slug = `twin-${name}`;
  const trigger = order.trigger;
  const entry = entryOf(first, {
    ...{ trigger, slug, newId: order.newId },
    recorded: [...order.recorded].find(
      ([node]) => node === trigger || isBeginning(first, node),
    )?.[1].items[0],
  });
  const ids = new Map(
    order.workflows.map(({ id }) => [String(id), order.newId().replaceAll('-', '').slice(0, 16)]),
  );
  const parts = [entry.workflow, ...called].map((workflow, index) =>
    partOf(workflow, index === 0 ? entry.node : null, order, ids),
  );
  const begin: TwinRow = {
    ...{ node: entry.node, talksTo: 'its callers', inTest: entry.inTest },
    recordedFrom: order.recorded.size === 0 ? 'nothing' : 'the execution',
  };
  const off = entry.off.map((node) => ({
    ...{ node, talksTo: 'its callers', inTest: 'off', recordedFrom: '-' },
  }));
  const credentials = parts.flatMap((part) => part.credentials);
  return {
    name,
    workflows: parts.map(({ workflow }) => workflow),
    request: entry.request,
    rows: [begin, ...off, ...parts.flatMap(({ rows }) => rows)],
    kept: parts.reduce((sum, { kept }) => sum + kept, 0),
    leaving: parts.flatMap(({ leaving }) => leaving),
    rules: [...parts.flatMap(({ rules }) => rules), CATCH_ALL],
    credentials: [...new Map(credentials.map((each) => [each.id, each])).values()],
  };
}

const isBeginning = ({ nodes }: ExportedWorkflow, name: string): boolean =>
  nodes.some((node) => nameOf(node) === name && kindOf(node.type) === 'trigger');

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
  rules: WrittenRule[];
  credentials: Credential[];
}

/** Kept by n8n's import, and meant for this n8n: what else an export has belongs to the original. */
const SETTINGS = ['executionOrder', 'timezone', 'executionTimeout'];

function partOf(
  workflow: ExportedWorkflow,
  entry: string | null,
  order: TwinOrder,
  ids: ReadonlyMap<string, string>,
): Part {
  const part: Part = { workflow, rows: [], kept: 0, leaving: [], rules: [], credentials: [] };
  const slugs = new Set<string>();
  const nodes = workflow.nodes.map((node): WorkflowNode => {
    const name = nameOf(node);
    if (node['disabled'] === true || name === entry) return node;
    if (order.allow.has(name)) {
      part.rows.push({
        node: name,
        talksTo: shortType(node.type),
        inTest: 'as it is',
        recordedFrom: '-',
      });
      return node;
    }
    if (node.type === WEBHOOK) {
      // That of the first workflow is the twin's own. Another one would take the calls that are meant for the original.
      return entry === null ? { ...node, disabled: true } : node;
    }
    if (kindOf(node.type) === 'stays') {
      const why = whyLeaving(node, ids);
      if (why !== null) part.leaving.push({ node: name, why });
      if (node.type !== 'n8n-nodes-base.stickyNote') part.kept += 1;
      return withNewIds(node, ids);
    }
    let slug = slugOf(name);
    while (slugs.has(slug)) slug += '-2';
    slugs.add(slug);
    const made = replaced(node, slug, order.recorded.get(name));
    if (made === null) {
      part.leaving.push({ node: name, why: `its type ${node.type} is not known` });
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
  const { connections, name = 'Workflow' } = workflow;
  part.workflow = {
    ...{ id: ids.get(String(workflow.id)) ?? order.newId(), name: `${name} (twin)` },
    ...{ active: false, nodes, connections, settings: Object.fromEntries(settings) },
  };
  return part;
}

/** Why a node that works in n8n leaves it after all; null: it does not. */
function whyLeaving(node: WorkflowNode, ids: ReadonlyMap<string, string>): string | null {
  const parameters = parametersOf(node);
  const code = ['jsCode', 'pythonCode', 'functionCode']
    .map((key) => textOf(parameters[key]))
    .join('\n');
  if (callsOut(code)) return 'its code calls something';
  if (node.type === 'n8n-nodes-base.dataTable') return 'it works on a data table of that n8n';
  const reads = node.type === READ_OR_WRITE && parameters['operation'] !== 'write';
  if (WRITES_FILE.has(node.type) && !reads) {
    return 'it writes a file where n8n runs';
  }
  if (!CALLS_WORKFLOW.test(node.type)) return null;
  if (['parameter', 'localFile', 'url'].includes(textOf(parameters['source']))) {
    return 'the workflow that it calls stands in none of the files';
  }
  const id = calledId(parameters);
  return ids.has(id) ? null : `the workflow ${id || '?'} that it calls is in none of the files`;
}

/** It reads unless it says otherwise. */
const READ_OR_WRITE = 'n8n-nodes-base.readWriteFile';
const WRITES_FILE = new Set([READ_OR_WRITE, 'n8n-nodes-base.writeBinaryFile']);
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
