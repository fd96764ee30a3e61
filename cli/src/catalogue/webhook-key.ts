/** A key that the webhooks of a workflow demand, so that they work for those alone who have it. Pure. */
import type { ExportedWorkflow } from './exported-workflow';
import { WEBHOOK } from './triggers';

export interface WebhookKey {
  /** The header that it comes in. */
  header: string;
  value: string;
}

/** No webhook of anybody else's demands this one. */
export const KEY_HEADER = 'x-n8n-tuned-key';

const CREDENTIAL = 'httpHeaderAuth';

/** The credential for n8n's API, which assigns an id. */
export const keyCredential = ({
  header,
  value,
}: WebhookKey): { name: string; type: string; data: Record<string, string> } => ({
  name: 'Load test key',
  type: CREDENTIAL,
  data: { name: header, value },
});

/** Webhooks that demand something already stay as they are. */
export function demandingKey(
  workflow: ExportedWorkflow,
  credential: { id: string; name: string },
): ExportedWorkflow {
  return {
    ...workflow,
    nodes: workflow.nodes.map((node) => {
      const { authentication = 'none', ...parameters } = (node['parameters'] ?? {}) as {
        authentication?: string;
      };
      return node.type !== WEBHOOK || authentication !== 'none'
        ? node
        : {
            ...node,
            parameters: { ...parameters, authentication: 'headerAuth' },
            credentials: { ...(node['credentials'] ?? {}), [CREDENTIAL]: credential },
          };
    }),
  };
}
