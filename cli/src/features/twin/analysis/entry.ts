/** The entry of a twin: the trigger that is loaded, as a webhook of its own, and the request to it. Pure. */
import type { ExportedWorkflow } from '../../../catalogue/exported-workflow';
import { CHAT, nameOf, nextOf, pathOf, WEBHOOK } from '../../../catalogue/triggers';
import { Mistake } from '../../../ui/errors';
import { kindOf, LANGCHAIN, shortType } from './node-kinds';
import type { Recording } from './recorded';
import { parametersOf, textOf, without, type WorkflowNode } from './types';

/** What the response to a request of a twin has to be, from the workflow and what was recorded of it. Pure. */

const RESPOND = 'n8n-nodes-base.respondToWebhook';
/** The number of fields of a response that are looked at. */
const FIELDS = 3;

function expectedOf(
  workflow: ExportedWorkflow,
  trigger: WorkflowNode,
  recording: Recording,
): string[] {
  const { responseData = 'firstEntryJson' } = parametersOf(trigger);
  const mode = modeOf(workflow, trigger);
  // n8n has said 200 before the workflow runs; what it streams is a JSON value a line.
  if (mode === 'streaming') return ['status==200', 'body~type":"end', 'body!~type":"error'];
  if (mode !== 'responseNode') {
    const isItem = mode === 'lastNode' && responseData === 'firstEntryJson';
    return [statusOf(trigger), ...fieldsOf(isItem ? recording.last : null, recording)];
  }
  const all = workflow.nodes.filter(({ type, disabled }) => type === RESPOND && disabled !== true);
  // Which of several answers, an execution tells.
  const ran = all.filter((node) => recording.nodes.has(nameOf(node)));
  const [node, another] = ran.length > 0 ? ran : all;
  if (node === undefined || another !== undefined) return ['status<400'];
  const { respondWith = 'firstIncomingItem' } = parametersOf(node);
  return [
    statusOf(node),
    ...fieldsOf(respondWith === 'firstIncomingItem' ? nameOf(node) : null, recording),
  ];
}

/** By what the response of the twin is made. */
function modeOf(workflow: ExportedWorkflow, trigger: WorkflowNode): string {
  const { responseMode, options, availableInChat } = parametersOf(trigger);
  if (trigger.type === WEBHOOK) return textOf(responseMode) || 'onReceived';
  if (trigger.type === CHAT) {
    const given = textOf((options as { responseMode?: unknown } | undefined)?.responseMode);
    return given || (availableInChat === true ? 'streaming' : 'lastNode');
  }
  return leadsToResponse(workflow, nameOf(trigger)) ? 'responseNode' : 'lastNode';
}

/** Whether a node that responds comes after it: n8n refuses a webhook that has one and responds otherwise. */
function leadsToResponse({ nodes, connections }: ExportedWorkflow, from: string): boolean {
  const responds = new Set(nodes.filter(({ type }) => type === RESPOND).map(nameOf));
  const reached = new Set([from]);
  for (const name of reached) {
    if (responds.has(name)) return true;
    for (const next of nextOf(connections[name])) reached.add(next);
  }
  return false;
}

/** The status that the node names, if it is known before the workflow runs. */
function statusOf(node: WorkflowNode): string {
  const { responseCode, options } = parametersOf(node);
  const given = (options as { responseCode?: unknown } | undefined)?.responseCode ?? responseCode;
  const { values } = (typeof given === 'object' ? (given ?? {}) : {}) as {
    values?: { responseCode?: unknown; customCode?: unknown };
  };
  const code = values === undefined ? given : (values.customCode ?? values.responseCode);
  return typeof code === 'number' ? `status==${String(code)}` : 'status==200';
}

/** Names that an expectation can have as they are. */
const NAME = /^\w+$/;

function fieldsOf(node: string | null, { nodes }: Recording): string[] {
  const [item] = (node === null ? undefined : nodes.get(node)?.items) ?? [];
  if (typeof item !== 'object' || item === null) return [];
  return Object.entries(item)
    .filter(([name, value]) => NAME.test(textOf(name)) && value !== null)
    .slice(0, FIELDS)
    .map(([name]) => `json.${name}`);
}

/** Answered by n8n itself at an address, the others begin by themselves. */
const ANSWERS = /\.(webhook|formTrigger|chatTrigger|mcpTrigger)$/;
const SERVES_TOOLS = `${LANGCHAIN}mcpTrigger`;
/** Begun by hand, by another workflow or by an error. */
const WAITS = /\.(manualTrigger|executeWorkflowTrigger|errorTrigger)$/;

export interface TwinRequest {
  method: string;
  path: string;
  /** Undefined: the request has none. */
  body: unknown;
  headers?: Record<string, string>;
  answers: 'at-once' | 'when-done';
  /** What the response has to be. */
  expect: string[];
}

export interface TwinEntry {
  workflow: ExportedWorkflow;
  /** The node that is loaded. */
  node: string;
  request: TwinRequest;
  /** What it has become, for the table. */
  inTest: string;
  /** What was a trigger as well. */
  off: string[];
}

export interface Beginning {
  /** The name of its trigger, where the user chooses. */
  trigger: string | undefined;
  /** Part of every path of this twin. */
  slug: string;
  newId: () => string;
  recording: Recording;
}

export function entryOf(workflow: ExportedWorkflow, beginning: Beginning): TwinEntry {
  const chosen = chosenTrigger(workflow, beginning.trigger);
  const others = workflow.nodes.filter((node) => isTrigger(node) && node !== chosen);
  const off = others.filter(({ disabled }) => disabled !== true).map(nameOf);
  const nodes = workflow.nodes.map((node) =>
    others.includes(node) ? { ...node, disabled: true } : node,
  );
  const quiet = { ...workflow, nodes };
  const [recorded] = beginning.recording.nodes.get(nameOf(chosen))?.items ?? [];
  const made =
    { [WEBHOOK]: asWebhook, [CHAT]: asChat, [SERVES_TOOLS]: asToolCall }[chosen.type] ?? asRequest;
  const { request, ...rest } = made(quiet, chosen, { ...beginning, recorded });
  return {
    ...rest,
    ...{ node: nameOf(chosen), off },
    request: { ...request, expect: expectedOf(workflow, chosen, beginning.recording) },
  };
}

const isTrigger = (node: WorkflowNode): boolean =>
  kindOf(node.type) === 'trigger' || /\.manualTrigger$/.test(node.type);

function chosenTrigger(workflow: ExportedWorkflow, wanted: string | undefined): WorkflowNode {
  const all = workflow.nodes.filter((node) => isTrigger(node) || WAITS.test(node.type));
  const listed = (nodes: readonly WorkflowNode[]): string =>
    nodes.map((node) => `'${nameOf(node)}'`).join(', ');
  if (wanted !== undefined) {
    const found = all.find((node) => nameOf(node) === wanted);
    if (found !== undefined) return found;
    throw new Mistake(
      `--trigger '${wanted}' is not a trigger of the workflow, whose triggers are: ${listed(all) || 'none'}.`,
    );
  }
  const on = all.filter((node) => node['disabled'] !== true);
  for (const group of [
    on.filter(({ type }) => ANSWERS.test(type)),
    on.filter(({ type }) => !ANSWERS.test(type) && !WAITS.test(type)),
    on,
  ]) {
    const [first, second] = group;
    if (second !== undefined) {
      throw new Mistake(
        `the workflow has several triggers: use --trigger to choose one of ${listed(group)}.`,
      );
    }
    if (first !== undefined) return first;
  }
  throw new Mistake(
    'the workflow has no trigger that a request can start: add a webhook, and export the workflow again.',
  );
}

interface Made {
  workflow: ExportedWorkflow;
  request: Omit<TwinRequest, 'expect'>;
  inTest: string;
}

interface Begun extends Beginning {
  /** The first item that the trigger gave. */
  recorded: unknown;
}

const withNode = (
  workflow: ExportedWorkflow,
  old: WorkflowNode,
  node: WorkflowNode,
): ExportedWorkflow => ({
  ...workflow,
  nodes: workflow.nodes.map((each) => (each === old ? node : each)),
});

function asWebhook(workflow: ExportedWorkflow, node: WorkflowNode, beginning: Begun): Made {
  const { slug, newId, recorded } = beginning;
  const parameters = parametersOf(node);
  const { httpMethod, responseMode } = parameters;
  const method = textOf(Array.isArray(httpMethod) ? httpMethod[0] : httpMethod) || 'GET';
  const old = pathOf(node);
  const isDynamic = old.split('/').some((part) => part.startsWith(':'));
  const path = isDynamic ? `${slug}/${old}` : slug;
  const webhookId = newId();
  const seen = (recorded ?? {}) as {
    body?: unknown;
    params?: Record<string, string>;
    query?: Record<string, string>;
    headers?: Record<string, unknown>;
  };
  const headers = ownHeaders(seen.headers ?? {});
  const filled = path.replace(/:([^/]+)/g, (_, name: string) =>
    encodeURIComponent(seen.params?.[name] ?? '7'),
  );
  const query = new URLSearchParams(seen.query ?? {}).toString();
  return {
    workflow: withNode(workflow, node, {
      ...without(node, 'credentials'),
      ...{ webhookId, parameters: { ...parameters, path, authentication: 'none' } },
    }),
    request: {
      method,
      path: `/webhook/${isDynamic ? `${webhookId}/` : ''}${filled}${query === '' ? '' : `?${query}`}`,
      body: method === 'GET' || method === 'HEAD' ? undefined : (seen.body ?? {}),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      answers: (responseMode ?? 'onReceived') === 'onReceived' ? 'at-once' : 'when-done',
    },
    inTest: 'a webhook of the twin',
  };
}

/** Headers that proxies or the load itself set, and headers that may hold a secret. */
const NOT_OWN = /^x-(forwarded|real-ip|request-id|load-id|amzn|cloud)|key|token|secret|sign|auth/;

/** The caller's own headers, which a workflow may read. */
const ownHeaders = (headers: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-') && !NOT_OWN.test(name) && typeof value === 'string'
        ? [[name, value]]
        : [],
    ),
  );

function asChat(workflow: ExportedWorkflow, node: WorkflowNode, { newId, recorded }: Begun): Made {
  const webhookId = newId();
  const said = (recorded ?? {}) as { chatInput?: unknown };
  return {
    workflow: withNode(workflow, node, {
      ...without(node, 'credentials'),
      webhookId,
      parameters: { ...parametersOf(node), public: true, authentication: 'none' },
    }),
    request: {
      ...{ method: 'POST', path: `/webhook/${webhookId}/chat`, answers: 'when-done' },
      body: {
        // A conversation for each request, since a memory that grows slows what comes later. n8n keeps nothing else of it.
        ...{ action: 'sendMessage', sessionId: '{{id}}' },
        chatInput: textOf(said.chatInput) || 'Is my order on its way?',
      },
    },
    inTest: 'a chat of the twin',
  };
}

const REQUEST = 'Request of the twin';

/** What somebody would fill in, a text for each field; {} for what is no form. */
export function formOf(node: WorkflowNode): Record<string, string> {
  const { formFields } = parametersOf(node) as { formFields?: { values?: unknown } };
  const fields = Array.isArray(formFields?.values) ? (formFields.values as unknown[]) : [];
  return Object.fromEntries(
    fields.map((field, index) => {
      const { fieldName, fieldLabel } = field as Record<string, unknown>;
      return [textOf(fieldName) || textOf(fieldLabel) || `field-${String(index)}`, 'x'];
    }),
  );
}

/** A schedule, a poll or a form: a webhook begins it, and its items are the body of the request. */
function asRequest(workflow: ExportedWorkflow, node: WorkflowNode, beginning: Begun): Made {
  return behindWebhook(workflow, node, beginning, {
    becomes: {
      ...{ type: 'n8n-nodes-base.set', typeVersion: 3.4 },
      parameters: { mode: 'raw', jsonOutput: '={{ $json.body }}', options: {} },
    },
    body: beginning.recorded ?? formOf(node),
  });
}

/**
 * A client of MCP begins a session with a handshake, which no single request makes. So a webhook takes what the client's
 * call would hold, and n8n's own Tool Executor runs the tool as a node of the execution.
 */
function asToolCall(workflow: ExportedWorkflow, node: WorkflowNode, beginning: Begun): Made {
  const { mcpToolCall: called } = (beginning.recorded ?? {}) as { mcpToolCall?: CalledTool };
  const tools = workflow.nodes.filter(
    (each) => each['disabled'] !== true && servedBy(workflow, each).includes(nameOf(node)),
  );
  const isCalled = (each: WorkflowNode): boolean =>
    nameOf(each) === called?.sourceNodeName || toolNameOf(each) === called?.toolName;
  const tool = tools.find(isCalled) ?? tools[0];
  if (tool === undefined) {
    throw new Mistake(
      `the tool server '${nameOf(node)}' has no tools: connect a tool, or choose another trigger with --trigger.`,
    );
  }
  const made = behindWebhook(workflow, node, beginning, {
    becomes: {
      ...{ type: `${LANGCHAIN}toolExecutor`, typeVersion: 1 },
      parameters: {
        query: '={{ { [$json.body.tool]: $json.body.input } }}',
        toolName: '={{ $json.body.tool }}',
      },
    },
    body: {
      tool: toolNameOf(tool),
      // n8n lets no expression read what is named arguments.
      input: isCalled(tool) ? (called?.arguments ?? {}) : argumentsOf(tool),
    },
  });
  return { ...made, inTest: 'a webhook that calls a tool, without MCP' };
}

/** What n8n keeps of a call by a client. */
interface CalledTool {
  toolName?: unknown;
  sourceNodeName?: unknown;
  arguments?: unknown;
}

/** Names of the nodes that have it as a tool. */
const servedBy = ({ connections }: ExportedWorkflow, node: WorkflowNode): string[] => {
  const { ai_tool: lists = [] } = (connections[nameOf(node)] ?? {}) as {
    ai_tool?: ({ node: string }[] | null)[];
  };
  return lists.flatMap((list) => (list ?? []).map((each) => each.node));
};

/** Its own, where its node still has one, or as n8n makes it of the name of the node. */
const toolNameOf = (node: WorkflowNode): string =>
  (kindOf(node.type) === 'tool' ? '' : textOf(parametersOf(node)['name'])) ||
  nameOf(node)
    .replace(/[^\w-]+/g, '_')
    .slice(0, 64);

/** What its parameters leave to the caller, with a value of the type that they name. */
function argumentsOf(node: WorkflowNode): Record<string, unknown> {
  const asked = JSON.stringify(parametersOf(node)).replaceAll('\\"', '"');
  const ofType: Record<string, unknown> = { number: 1, boolean: true, json: {} };
  const each = [...asked.matchAll(/\$fromAI\(\s*['"`]([\w-]+)['"`]([^)]*)\)/gi)];
  return Object.fromEntries(
    each.map(([, key = '', rest = '']) => {
      const type = /['"`](number|boolean|json)['"`]/.exec(rest)?.[1] ?? 'string';
      return [key, ofType[type] ?? 'x'];
    }),
  );
}

function behindWebhook(
  workflow: ExportedWorkflow,
  node: WorkflowNode,
  { slug, newId }: Begun,
  { becomes, body }: { becomes: WorkflowNode; body: unknown },
): Made {
  const [x = 0, y = 0] = (node['position'] ?? []) as number[];
  const webhook: WorkflowNode = {
    ...{ id: newId(), name: REQUEST, type: WEBHOOK, typeVersion: 2, webhookId: newId() },
    position: [x - 224, y],
    parameters: {
      ...{ httpMethod: 'POST', path: slug, options: {} },
      responseMode: modeOf(workflow, node),
    },
  };
  const begun = {
    ...becomes,
    id: node['id'],
    name: nameOf(node),
    position: [x, y],
  } as WorkflowNode;
  const changed = withNode(workflow, node, begun);
  return {
    workflow: {
      ...changed,
      nodes: [webhook, ...changed.nodes],
      connections: {
        ...workflow.connections,
        [REQUEST]: { main: [[{ node: nameOf(node), type: 'main', index: 0 }]] },
      },
    },
    request: { method: 'POST', path: `/webhook/${slug}`, answers: 'when-done', body },
    inTest: `a webhook in place of ${shortType(node.type)}`,
  };
}
