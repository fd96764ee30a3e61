import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
} from 'n8n-workflow';
import { checkedBoolean, checkedChoice } from '../shared/bounds';
import { themedIcon } from '../shared/icon';
import { Mistake } from '../shared/mistake';
import { apiError, apiErrorItem, cancelledError, errorItem, nodeError } from '../shared/nodeError';
import { Cancelled } from '../shared/sleep';
import { FailedAsStatus } from './operations/fail';
import { operationOptions, operationProperties, operations } from './operations';
import type { Call, Operation, Outcome } from './operations/operation';
import { subtitle } from './subtitle';
import { ranBy } from './world/ranBy';

// Not usable as a tool: an AI agent could freeze or fill the process that runs all workflows.
// eslint-disable-next-line @n8n/community-nodes/node-usable-as-tool
export class LoadTarget implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Load Target',
    name: 'loadTarget',
    icon: { light: 'file:loadTarget.svg', dark: 'file:loadTarget.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: subtitle(),
    description:
      'Generate load of an exact size and report what was generated, and by which process',
    defaults: { name: 'Load Target' },
    inputs: ['main'],
    outputs: ['main'],
    properties: [
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        default: 'cpu',
        options: operationOptions,
      },
      ...operationProperties,
      {
        displayName: 'Include Input Fields',
        name: 'includeInput',
        type: 'boolean',
        default: false,
        description:
          'Whether the output also carries the fields of the input item, such as the headers of a webhook request',
      },
    ],
  };

  constructor() {
    this.description.icon = themedIcon({
      light: 'file:loadTarget.svg',
      dark: 'file:loadTarget.dark.svg',
    });
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    const output: INodeExecutionData[] = [];
    for (let itemIndex = 0; itemIndex < items.length; itemIndex += 1) {
      try {
        const input = items[itemIndex]?.json ?? {};
        for (const item of await runOne(this, itemIndex, input)) output.push(item);
      } catch (error) {
        // A cancelled execution ends here, whatever the node is set to do on errors.
        if (error instanceof Cancelled) throw cancelledError(this.getExecutionId());
        if (!this.continueOnFail()) throw asNodeError(this, error, itemIndex);
        const json =
          error instanceof FailedAsStatus
            ? apiErrorItem(apiError(this.getNode(), error.response, itemIndex), error.response)
            : errorItem(error);
        output.push({ json, pairedItem: { item: itemIndex } });
      }
    }
    return [output];
  }
}

async function runOne(
  context: IExecuteFunctions,
  itemIndex: number,
  input: IDataObject,
): Promise<INodeExecutionData[]> {
  const call = callOf(context, itemIndex);
  const name = checkedChoice(call.parameter('operation'), 'Operation', [...operations.keys()]);
  const includeInput = checkedBoolean(call.parameter('includeInput'), 'Include Input Fields');
  const operation = operations.get(name) as Operation;

  const began = performance.now();
  const outcome = await operation.run(call);
  const durationMs = Math.round((performance.now() - began) * 1000) / 1000;
  const { asked, achieved } = outcome;
  const report = { operation: name, asked, achieved, durationMs, ranBy: { ...ranBy() } };
  // Before the input, to be seen first; over it, where names clash.
  return itemsOf(outcome, itemIndex, includeInput ? { ...report, ...input, ...report } : report);
}

function itemsOf(outcome: Outcome, item: number, report: IDataObject): INodeExecutionData[] {
  const pairedItem = { item };
  const first: INodeExecutionData = { json: { ...report, ...outcome.fields }, pairedItem };
  if (outcome.binary) first.binary = outcome.binary;
  return [first, ...(outcome.moreItems ?? []).map((json) => ({ json, pairedItem }))];
}

function callOf(context: IExecuteFunctions, itemIndex: number): Call {
  // n8n 0.x has no such function.
  const { isFilePathBlocked } = context.helpers as {
    isFilePathBlocked?: (path: never) => boolean | Promise<boolean>;
  };
  return {
    node: context.getNode(),
    itemIndex,
    // n8n 0.x has no such function.
    signal: (context as Partial<IExecuteFunctions>).getExecutionCancelSignal?.call(context),
    parameter: (name) => context.getNodeParameter(name, itemIndex, undefined),
    isBlockedPath: isFilePathBlocked && ((path) => isFilePathBlocked(path as never)),
    binary: (data, fileName, mimeType) =>
      context.helpers.prepareBinaryData(data, fileName, mimeType),
  };
}

/** Throws like n8n's own nodes, so that the editor shows it well and n8n's log takes it for no fault of n8n. */
function asNodeError(context: IExecuteFunctions, error: unknown, itemIndex: number): unknown {
  const node = context.getNode();
  if (error instanceof FailedAsStatus) return apiError(node, error.response, itemIndex);
  if (!(error instanceof Mistake)) return error;
  return nodeError(node, error.message, { itemIndex, description: error.description });
}
