import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { Mistake } from './mistake';
import { Cancelled } from './sleep';
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Place {
  itemIndex?: number | undefined;
}

/** The classes by which n8n tells an expected error from a fault of its own. */
interface ErrorClasses {
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
function errorClasses(): ErrorClasses | undefined {
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

export interface NodeErrorDetails {
  itemIndex?: number | undefined;
  description?: string | undefined;
}

/** n8n's NodeOperationError, or an error in its shape where no n8n-workflow can be found. */
export function nodeError(
  node: INode,
  message: string,
  { itemIndex, description }: NodeErrorDetails = {},
): Error {
  const classes = errorClasses();
  if (classes === undefined) {
    return shaped('NodeOperationError', node, message, { itemIndex, description });
  }
  const options = { itemIndex, ...(description !== undefined && { description }) };
  const error = new classes.NodeOperationError(node, message, options);
  // n8n puts a sentence of its own in the place of one that names a code such as ENOTDIR.
  error.message = message;
  return error;
}

/** n8n's NodeApiError, as HTTP Request throws it for a response of this status. */
export function apiError(node: INode, response: ResponseError, itemIndex: number): Error {
  const classes = errorClasses();
  if (classes === undefined) {
    const { message, status } = response;
    return Object.assign(shaped('NodeApiError', node, message, { itemIndex }), {
      httpCode: String(status),
    });
  }
  return new classes.NodeApiError(node, { ...response }, { itemIndex });
}

/** What an HTTP client knows of a response that is an error. */
export interface ResponseError {
  name: string;
  message: string;
  code: string;
  status: number;
}

/** An item as HTTP Request returns it for such a response when it is set to continue. */
export function apiErrorItem(error: Error, response: ResponseError): IDataObject {
  const { httpCode, context, description } = error as Error & {
    httpCode?: string;
    context?: IDataObject;
    description?: string | null;
  };
  return {
    error: { ...response },
    details: {
      message: error.message,
      ...(description && { description }),
      ...(httpCode !== undefined && { httpCode }),
      ...(context !== undefined && { context: { ...context } }),
    },
  };
}

/** n8n ends an execution with this error without a word in its log. */
export function cancelledError(executionId: string | undefined): Error {
  const classes = errorClasses();
  const cancelled = classes?.ManualExecutionCancelledError;
  return cancelled === undefined ? new Cancelled() : new cancelled(executionId ?? 'unknown');
}

/**
 * What n8n sends through the error output: an item whose only keys are `error`, `message` and `details`. Any other key, and
 * the item counts as a success.
 */
export function errorItem(error: unknown): IDataObject {
  const text = error instanceof Error ? error.message : String(error);
  const more = error instanceof Mistake ? error.description : undefined;
  return { error: text, ...(more !== undefined && { details: more }) };
}

function shaped(
  name: string,
  node: INode,
  message: string,
  { itemIndex, description }: NodeErrorDetails,
): Error {
  return Object.assign(new Error(message), {
    ...{ name, stack: `${name}: ${message}`, node, description: description ?? null },
    ...{ context: { itemIndex }, functionality: 'regular', level: 'warning' },
    ...{ timestamp: Date.now(), lineNumber: undefined, messages: [] },
  });
}
