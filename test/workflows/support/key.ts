import type { ExportedWorkflow } from '../../../cli/src/catalogue/exported-workflow';
import { exported } from './n8n';

/** What the note of a webhook that can hurt advises: Header Auth in its node. */
export const key = { name: 'x-load-key', value: 'of-the-test' };

export const keyCredential = {
  ...{ id: '9901', name: 'Load test key', type: 'httpHeaderAuth', data: key },
  // n8n below 1.0 asks for it.
  nodesAccess: [{ nodeType: 'n8n-nodes-base.webhook' }],
};

/** A copy of a bundled workflow beside it, at a path of its own, whose webhook demands the key. */
export function withKey(file: string, id: string, path: string): ExportedWorkflow {
  const [workflow] = exported(file);
  if (workflow === undefined) throw new Error(`there is no workflow in ${file}`);
  const { id: credential, name } = keyCredential;
  const nodes = workflow.nodes.map((node) =>
    node.type === 'n8n-nodes-base.webhook'
      ? {
          ...node,
          parameters: { ...(node['parameters'] as object), path, authentication: 'headerAuth' },
          credentials: { httpHeaderAuth: { id: credential, name } },
          webhookId: `webhook-${id}`,
        }
      : node,
  );
  return { ...workflow, id, name: `${workflow.name ?? ''} with a key`, nodes };
}
