/** What the response to a request of a twin has to be, from the workflow and what was recorded of it. Pure. */
import type { ExportedWorkflow } from '../../../catalogue/exported-workflow';
import { nameOf, WEBHOOK } from '../../../catalogue/triggers';
import type { Recording } from './recorded';
import { parametersOf, textOf, type WorkflowNode } from './types';

const RESPOND = 'n8n-nodes-base.respondToWebhook';
/** Of a response, so many fields are looked at. */
const FIELDS = 3;

export function expectedOf(
  workflow: ExportedWorkflow,
  trigger: WorkflowNode,
  recording: Recording,
): string[] {
  const { responseMode, responseData = 'firstEntryJson' } = parametersOf(trigger);
  // The twin of any other trigger answers by its last node.
  const mode = trigger.type === WEBHOOK ? (responseMode ?? 'onReceived') : 'lastNode';
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

/** As the node says it, where that is not known only when the workflow runs. */
function statusOf(node: WorkflowNode): string {
  const { responseCode, options } = parametersOf(node);
  const given = (options as { responseCode?: unknown } | undefined)?.responseCode ?? responseCode;
  const { values } = (typeof given === 'object' ? given : {}) as {
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
