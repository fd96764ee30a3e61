import type {
  IBinaryData,
  IDataObject,
  INode,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import { checkedBoolean, checkedChoice, checkedNumber, type Bounds } from '../../shared/bounds';

/** One kind of load: how the editor shows it, and what it does for one item. */
export interface Operation {
  option: INodePropertyOptions;
  /** The parameters, without their displayOptions on the operation: those are added for all alike. */
  properties: INodeProperties[];
  run(call: Call): Promise<Outcome>;
}

export interface Outcome {
  asked: IDataObject;
  achieved: IDataObject;
  /** Fields of the first item beside the report, such as the document. */
  fields?: IDataObject;
  binary?: Record<string, IBinaryData>;
  /** Further items, after the one that carries the report. */
  moreItems?: IDataObject[];
}

/** What an operation may ask of n8n, for one item. */
export interface Call {
  readonly node: INode;
  readonly itemIndex: number;
  /** Aborted when the execution is cancelled; undefined in n8n 0.x, which cannot tell. */
  readonly signal: AbortSignal | undefined;
  readonly parameter: (name: string) => unknown;
  /** Whether n8n itself keeps nodes from this path; undefined where n8n has no such rule. */
  readonly isBlockedPath: ((path: string) => boolean | Promise<boolean>) | undefined;
  readonly binary: (data: Buffer, fileName: string, mimeType: string) => Promise<IBinaryData>;
}

export function numberOf(call: Call, name: string, bounds: Bounds): number {
  return checkedNumber(call.parameter(name), bounds);
}

export function choiceOf<T extends string>(
  call: Call,
  name: string,
  title: string,
  allowed: readonly T[],
): T {
  return checkedChoice(call.parameter(name), title, allowed);
}

export function booleanOf(call: Call, name: string, title: string): boolean {
  return checkedBoolean(call.parameter(name), title);
}
