/**
 * A workflow under a name and at webhooks of its own, so that nothing else in an n8n is taken for it, and it for
 * nothing else. Pure.
 */
import type { ExportedWorkflow } from './exported-workflow';
import {
  CHAT,
  nameOf,
  pathname,
  pathOf,
  tailOf,
  WEBHOOK,
  webhooksOf,
  type FileWebhook,
} from './triggers';

/** n8n takes no longer names. */
const LONGEST_NAME = 128;

/** By this, what a call has put into an n8n is found again. */
export function nameOfCall(name: string, call: string): string {
  const mark = ` (n8n-tuned ${call})`;
  return name.slice(0, LONGEST_NAME - mark.length) + mark;
}

/** The call that put it in; null where the name says nothing of one. */
export const callIn = (name: string): string | null =>
  / \(n8n-tuned ([0-9a-f]{8})\)$/.exec(name)?.[1] ?? null;

/** What a webhook of a file has become. */
export interface MovedWebhook extends FileWebhook {
  /** With the id before it where n8n asks for one. */
  newPath: (path: string) => string;
}

/** `newId` gives ids for webhooks. */
export function copyOfCall(
  workflow: ExportedWorkflow,
  call: string,
  newId: () => string,
): { workflow: ExportedWorkflow; webhooks: MovedWebhook[] } {
  const ids = new Map<string, string>();
  const chats: MovedWebhook[] = [];
  const nodes = workflow.nodes.map((node) => {
    const isWebhook = node.type === WEBHOOK;
    // A form or a chat has one as well.
    if (!isWebhook && node['webhookId'] === undefined) return node;
    const webhookId = newId();
    if (node.type === CHAT) chats.push(movedChat(node, webhookId));
    const { path } = (node['parameters'] ?? {}) as { path?: unknown };
    if (!isWebhook && typeof path !== 'string') return { ...node, webhookId };
    const own = ownPath(pathOf(node), call);
    if (isWebhook) ids.set(own, webhookId);
    return {
      ...node,
      webhookId,
      parameters: { ...(node['parameters'] as object | undefined), path: own },
    };
  });
  return {
    workflow: { ...workflow, name: nameOfCall(workflow.name ?? 'Workflow', call), nodes },
    webhooks: [
      ...webhooksOf(workflow).map((webhook) => {
        const own = ownPath(webhook.path, call);
        return {
          ...webhook,
          newPath: (path: string) => moved(path, webhook.path, call, ids.get(own) ?? ''),
        };
      }),
      ...chats,
    ],
  };
}

/** A chat answers at its id. */
function movedChat(node: ExportedWorkflow['nodes'][number], webhookId: string): MovedWebhook {
  const path = `${pathOf(node)}/chat`;
  return {
    ...{ node: nameOf(node), method: 'POST', path },
    newPath: (given) => given.replace(path, `${webhookId}/chat`),
  };
}

const ownPath = (path: string, call: string): string => (path === '' ? call : `${path}/${call}`);

/** n8n serves a path with parts such as `:id` beneath the id of its webhook. */
function moved(path: string, from: string, call: string, webhookId: string): string {
  const before = pathname(path);
  const rest = path.slice(before.length);
  const [tail = ''] = tailOf(from).exec(before) ?? [];
  const root = before.slice(0, before.length - tail.length);
  const isDynamic = from.split('/').some((part) => part.startsWith(':'));
  // A URL copied from the editor has the id of the file in it.
  const base = isDynamic ? `${root.replace(/[0-9a-f-]{36}\/$/, '')}${webhookId}/` : root;
  return `${base}${tail}/${call}${rest}`;
}
