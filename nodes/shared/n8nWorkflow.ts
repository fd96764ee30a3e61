import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { INode, JsonObject } from 'n8n-workflow';

interface Place {
  itemIndex?: number | undefined;
}

/** The classes by which n8n tells an expected error from a fault of its own. */
export interface ErrorClasses {
  NodeOperationError: new (
    node: INode,
    message: string,
    options: Place & { description?: string },
  ) => Error;
  NodeApiError: new (node: INode, response: JsonObject, options: Place) => Error;
  /** n8n 0.x has none. */
  ManualExecutionCancelledError?: new (executionId: string) => Error;
}

let found: { classes: ErrorClasses | undefined } | undefined;

/**
 * n8n's own: a class of another copy of n8n-workflow is another class. So the running program is asked first, then what an
 * extension folder can resolve; undefined where there is no n8n at all.
 */
export function errorClasses(): ErrorClasses | undefined {
  found ??= { classes: load(process.argv[1]) ?? load(__filename) };
  return found.classes;
}

function load(from: string | undefined): ErrorClasses | undefined {
  if (from === undefined) return undefined;
  try {
    return createRequire(realpathSync(from))('n8n-workflow') as ErrorClasses;
  } catch {
    return undefined;
  }
}
