/** Triggers of an exported workflow, and the one that is loaded. Pure. */
import type { ExportedWorkflow } from './exported-workflow';

export const WEBHOOK = 'n8n-nodes-base.webhook';
export const CHAT = '@n8n/n8n-nodes-langchain.chatTrigger';

/** One that answers at a path, with one of its methods. */
export interface FileWebhook {
  /** The name of its node. */
  node: string;
  method: string;
  /** Path from the file, without slashes around it; '' if n8n assigns one. */
  path: string;
}

type Node = ExportedWorkflow['nodes'][number];

interface WebhookParameters {
  path?: unknown;
  httpMethod?: unknown;
  multipleMethods?: unknown;
}

export const nameOf = (node: Node): string => text(node['name']) ?? node.type;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

const isOff = (node: Node): boolean => node['disabled'] === true;

/** Without a path, the id of a webhook is its path. */
export const pathOf = (node: Node): string =>
  (text((node['parameters'] as WebhookParameters | undefined)?.path) ?? '').replace(
    /^\/+|\/+$/g,
    '',
  ) ||
  (text(node['webhookId']) ?? '');

export function webhooksOf({ nodes }: ExportedWorkflow): FileWebhook[] {
  return nodes
    .filter((node) => node.type === WEBHOOK && !isOff(node))
    .flatMap((node) =>
      methodsOf(node).map((method) => ({ node: nameOf(node), method, path: pathOf(node) })),
    );
}

function methodsOf(node: Node): string[] {
  const { httpMethod, multipleMethods } = (node['parameters'] ?? {}) as WebhookParameters;
  if (Array.isArray(httpMethod)) return httpMethod.filter((method) => typeof method === 'string');
  return multipleMethods === true ? ['GET', 'POST'] : [text(httpMethod) ?? 'GET'];
}

/** Whether a request of this method and path is one to that webhook: `:id` in a path stands for any part. */
export function answers(
  { method, path }: Pick<FileWebhook, 'method' | 'path'>,
  request: { method: string; path: string },
): boolean {
  if (method !== request.method || path === '') return false;
  return tailOf(path).test(pathname(request.path));
}

/** Whatever n8n serves its webhooks beneath comes before it: /webhook unless N8N_ENDPOINT_WEBHOOK says another. */
export const tailOf = (path: string): RegExp =>
  new RegExp(`(?<=/)${path.split('/').map(part).join('/')}$`);

const part = (name: string): string =>
  name.startsWith(':') ? '[^/]+' : name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

export const pathname = (path: string): string => path.replace(/[?#].*$/s, '');

/** Begun by another workflow, or by hand in the editor: these begin nothing by themselves. */
const WAITS_TO_BE_CALLED = /\.(executeWorkflowTrigger|manualTrigger)$/;
/** Those whose names do not say it. */
const TRIGGERS = /trigger$|\.(webhook|cron|interval|emailReadImap)$/i;

export const isCalled = ({ nodes }: ExportedWorkflow): boolean =>
  nodes.some((node) => node.type.endsWith('.executeWorkflowTrigger') && !isOff(node));

/**
 * The workflow with every trigger off but the webhooks that are loaded and what other workflows call; and the
 * names of those that were switched off.
 */
export function withTriggersOff(
  workflow: ExportedWorkflow,
  loaded: (webhook: FileWebhook) => boolean,
): { workflow: ExportedWorkflow; off: string[] } {
  const kept = new Set(
    webhooksOf(workflow)
      .filter(loaded)
      .map(({ node }) => node),
  );
  const off: string[] = [];
  const nodes = workflow.nodes.map((node) => {
    if (isOff(node) || !begins(node, workflow) || kept.has(nameOf(node))) return node;
    off.push(nameOf(node));
    return { ...node, disabled: true };
  });
  return { workflow: { ...workflow, nodes }, off };
}

/** A node of a package that nobody here knows begins something if it leads to others and none leads to it. */
function begins(node: Node, workflow: ExportedWorkflow): boolean {
  if (WAITS_TO_BE_CALLED.test(node.type)) return false;
  if (TRIGGERS.test(node.type)) return true;
  const { connections } = workflow;
  const leads = nextOf(connections[nameOf(node)]).length > 0;
  return leads && !Object.values(connections).some((each) => nextOf(each).includes(nameOf(node)));
}

/** Nodes that receive the items of a node; connections of models and tools do not count. */
export function nextOf(connection: unknown): string[] {
  const { main } = (connection ?? {}) as { main?: unknown };
  if (!Array.isArray(main)) return [];
  return main
    .flat()
    .map((each) => text((each as { node?: unknown } | null)?.node))
    .filter((name) => name !== undefined);
}
