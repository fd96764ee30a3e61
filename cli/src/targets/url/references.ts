import type { ExportedWorkflow } from '../../catalogue/exported-workflow';

/** Workflows that others call before those: n8n gives each an id of its own, which its callers must know. */
export function calledFirst(workflows: readonly ExportedWorkflow[]): ExportedWorkflow[] {
  const order: ExportedWorkflow[] = [];
  const add = (workflow: ExportedWorkflow, callers: readonly ExportedWorkflow[]): void => {
    // Two that call each other cannot both be first.
    if (order.includes(workflow) || callers.includes(workflow)) return;
    for (const other of workflows) {
      if (other !== workflow && mentions(workflow.nodes, other.id)) {
        add(other, [...callers, workflow]);
      }
    }
    order.push(workflow);
  };
  for (const workflow of workflows) add(workflow, []);
  return order;
}

/** With every text in its nodes that is one of these ids exchanged for what it has become. */
export function renamed(
  workflow: ExportedWorkflow,
  ids: ReadonlyMap<string, string>,
): ExportedWorkflow {
  const exchange = (value: unknown): unknown => {
    if (typeof value === 'string') return ids.get(value) ?? value;
    if (Array.isArray(value)) return value.map(exchange);
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, exchange(part)]));
    }
    return value;
  };
  return { ...workflow, nodes: exchange(workflow.nodes) as ExportedWorkflow['nodes'] };
}

function mentions(value: unknown, id: string | number | undefined): boolean {
  if (id === undefined) return false;
  return JSON.stringify(value).includes(JSON.stringify(String(id)));
}
