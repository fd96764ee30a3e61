import type { INode } from 'n8n-workflow';

/**
 * An error in the shape of n8n's own NodeOperationError.
 *
 * n8n 0.x and 2.x recognise the class by its name, and the editor shows `description`, `node` and
 * `context.itemIndex`; none of them needs the class itself. So nothing is imported from n8n at run
 * time, where it could be missing (a bare extension folder) or be another copy than n8n's.
 */
export interface NodeError extends Error {
  node: INode;
  description: string | null;
  context: { itemIndex: number | undefined };
  functionality: 'regular';
  level: 'warning';
  timestamp: number;
  lineNumber: undefined;
  messages: string[];
  /** What n8n shows as the status of a failed request. */
  httpCode?: string;
}

export interface NodeErrorDetails {
  itemIndex?: number;
  description?: string;
  /** With a status the error is a NodeApiError, as a node that calls an API throws it. */
  httpStatus?: number;
}

export function nodeError(node: INode, message: string, details: NodeErrorDetails = {}): NodeError {
  const name = details.httpStatus === undefined ? 'NodeOperationError' : 'NodeApiError';
  return Object.assign(new Error(message), {
    name,
    // n8n logs the stack of every failed execution; ours says nothing that the message does not.
    stack: `${name}: ${message}`,
    node,
    description: details.description ?? null,
    context: { itemIndex: details.itemIndex },
    functionality: 'regular' as const,
    level: 'warning' as const,
    timestamp: Date.now(),
    lineNumber: undefined,
    messages: [],
    ...(details.httpStatus === undefined ? {} : { httpCode: String(details.httpStatus) }),
  });
}
