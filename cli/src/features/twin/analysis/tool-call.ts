/** A call of a tool that n8n serves, from the tools of a workflow. Pure. */
import type { ExportedWorkflow } from '../../../catalogue/exported-workflow';
import { nameOf } from '../../../catalogue/triggers';
import { parametersOf, textOf, type WorkflowNode } from './types';

export interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** Of the first tool of a server, with a value for each argument that a model would fill in. */
export function toolCallOf(workflow: ExportedWorkflow, server: string): ToolCall {
  const tool = workflow.nodes.find((node) =>
    JSON.stringify(
      (workflow.connections[nameOf(node)] as { ai_tool?: unknown } | undefined)?.ai_tool ?? [],
    ).includes(`"node":${JSON.stringify(server)}`),
  );
  return tool === undefined
    ? { name: '', arguments: {} }
    : { name: toolName(tool), arguments: argumentsOf(tool) };
}

/** As n8n makes it of the name of a node. */
const toolName = (node: WorkflowNode): string =>
  (textOf(parametersOf(node)['name']) || nameOf(node))
    .replace(/[\s.?!=+#@&*()[\]{}:;,<>/\\'"^%$_-]+/g, '_')
    .replace(/^_|_$/g, '');

const FROM_AI =
  /\$fromAI\(\s*['"`]([\w-]+)['"`](?:\s*,\s*(?:(['"`]).*?\2))?(?:\s*,\s*['"`](\w+)['"`])?/g;
const VALUES: Record<string, unknown> = { number: 1, boolean: true, json: {} };

function argumentsOf(node: WorkflowNode): Record<string, unknown> {
  const text = JSON.stringify(parametersOf(node)).replaceAll('\\"', '"');
  const { placeholderDefinitions } = parametersOf(node) as {
    placeholderDefinitions?: { values?: { name: string; type?: string }[] };
  };
  return Object.fromEntries([
    ...[...text.matchAll(FROM_AI)].map(([, key = '', , type = '']) => [key, VALUES[type] ?? 'x']),
    ...(placeholderDefinitions?.values ?? []).map(({ name, type = '' }) => [
      name,
      VALUES[type] ?? 'x',
    ]),
  ]) as Record<string, unknown>;
}
