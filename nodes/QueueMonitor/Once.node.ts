import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
} from 'n8n-workflow';
import { checkedChoice, checkedNumber, type Bounds } from '../shared/bounds';
import { themedIcon } from '../shared/icon';
import { Mistake } from '../shared/mistake';
import { n8nVersion } from '../shared/n8nProcess';
import { cancelledError, errorItem, nodeError } from '../shared/nodeError';
import { Cancelled, sleep } from '../shared/sleep';
import * as once from './queue/once';
import { queueRedisApiTest } from './queue/read';

const lease: Bounds = { title: 'Lease (Seconds)', min: 1, max: 3600 };
const keep: Bounds = { title: 'Keep for (Hours)', min: 1, max: 8760 };
/** The same workflow gives the same lease, so a claim that nobody renews has ended by then. */
const WAIT_BEYOND_LEASE_MS = 10_000;
const LOOK_EVERY_MS = 500;

// An agent has one output of a tool, and this node two.
// eslint-disable-next-line @n8n/community-nodes/node-usable-as-tool
export class Once implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Once',
    name: 'once',
    icon: { light: 'file:queueMonitor.svg', dark: 'file:queueMonitor.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{ ({ begin: "Begin", store: "Store" })[$parameter["operation"]] }}',
    description: 'Do a piece of work once, also when its execution is retried',
    defaults: { name: 'Once' },
    inputs: ['main'],
    outputs:
      '={{ $parameter["operation"] === "store" ? [{ type: "main" }] : [{ type: "main", displayName: "First Time" }, { type: "main", displayName: "Done Before" }] }}',
    credentials: [{ name: 'queueRedisApi', required: true, testedBy: 'queueRedisApiTest' }],
    properties: [
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        default: 'begin',
        options: [
          {
            name: 'Begin',
            value: 'begin',
            description: 'Claim the work, or get the result that was stored before',
            action: 'Begin work once',
          },
          {
            name: 'Store',
            value: 'store',
            description: 'Store the items as the result, so that the work is not done again',
            action: 'Store the result of work',
          },
        ],
      },
      {
        displayName: 'Work Is Known By',
        name: 'knownBy',
        type: 'options',
        default: 'execution',
        displayOptions: { show: { operation: ['begin'] } },
        options: [
          {
            name: 'Execution',
            value: 'execution',
            description: 'The same work is done once by an execution and all of its retries',
          },
          {
            name: 'Own Key',
            value: 'own',
            description: 'The same work is done once by all executions with the same key',
          },
        ],
        description: 'When two pieces of work are the same',
      },
      {
        displayName: 'Own Key',
        name: 'ownKey',
        type: 'string',
        default: '',
        required: true,
        placeholder: 'e.g. {{ $json.orderId }}',
        displayOptions: { show: { operation: ['begin'], knownBy: ['own'] } },
        description: 'What this piece of work is known by, such as an ID that the caller has sent',
      },
      {
        displayName: 'Lease (Seconds)',
        name: 'leaseSeconds',
        type: 'number',
        default: 300,
        typeOptions: { minValue: lease.min, maxValue: lease.max },
        displayOptions: { show: { operation: ['begin'] } },
        description:
          'How long the claim lasts without a result: longer than the work takes. After that, a retry does the work again.',
      },
      {
        displayName: 'Once Key',
        name: 'onceKey',
        type: 'string',
        default: '',
        required: true,
        placeholder: "e.g. {{ $('Begin work once').item.json.onceKey }}",
        displayOptions: { show: { operation: ['store'] } },
        description: 'The field onceKey of the item that left Begin',
      },
      {
        displayName: 'Keep for (Hours)',
        name: 'keepHours',
        type: 'number',
        default: 168,
        typeOptions: { minValue: keep.min, maxValue: keep.max },
        displayOptions: { show: { operation: ['store'] } },
        description: 'How long Redis keeps the result: longer than the work may be retried',
      },
    ],
  };

  methods = { credentialTest: { queueRedisApiTest } };

  constructor() {
    this.description.icon = themedIcon({
      light: 'file:queueMonitor.svg',
      dark: 'file:queueMonitor.dark.svg',
    });
    // n8n 0.x knows no outputs that depend on a parameter.
    if (n8nVersion()?.startsWith('0.')) {
      this.description.outputs = ['main', 'main'];
      this.description.outputNames = ['First Time', 'Done Before'];
    }
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const operation: unknown = this.getNodeParameter('operation', 0, undefined);
    try {
      return checkedChoice(operation, 'Operation', ['begin', 'store']) === 'begin'
        ? await beginAll(this)
        : await storeAll(this);
    } catch (error) {
      if (error instanceof Cancelled) throw cancelledError(this.getExecutionId());
      // What is wrong with one item ends the work of all: half a claim helps nobody.
      if (this.continueOnFail()) {
        const json = errorItem(error);
        return [this.getInputData().map((_, item) => ({ json, pairedItem: { item } }))];
      }
      if (!(error instanceof Mistake)) throw error;
      throw nodeError(this.getNode(), error.message, { description: error.description });
    }
  }
}

async function beginAll(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const input = context.getInputData();
  const credential = await context.getCredentials('queueRedisApi', 0);
  const keys = input.map((_, itemIndex) => keyOfItem(context, itemIndex));
  refuseTwins(keys);
  const seconds = checkedNumber(context.getNodeParameter('leaseSeconds', 0, undefined), lease);
  const leaseMs = Math.round(seconds * 1000);
  const owner = {
    executionId: context.getExecutionId(),
    runIndex: runOf(context),
  };
  // n8n 0.x has no such function.
  const signal = (context as Partial<IExecuteFunctions>).getExecutionCancelSignal?.call(context);
  const until = performance.now() + leaseMs + WAIT_BEYOND_LEASE_MS;

  let begun = await once.begin(credential, keys, { owner, leaseMs });
  for (;;) {
    const held = begun.find((each) => each.kind === 'held');
    if (held === undefined) break;
    if (held.by === owner.executionId && held.runIndex !== owner.runIndex) {
      throw new Mistake(
        'An earlier run of this node has begun the same work, and stored no result',
      );
    }
    if (performance.now() > until) {
      throw new Mistake(
        `Execution ${held.by} does the same work, and has stored no result in time`,
      );
    }
    await sleep(LOOK_EVERY_MS, signal);
    begun = await once.begin(credential, keys, { owner, leaseMs });
  }

  const outputs: [INodeExecutionData[], INodeExecutionData[]] = [[], []];
  begun.forEach((each, item) => {
    const pairedItem = { item };
    if (each.kind === 'done') {
      outputs[1].push(...each.result.map((json) => ({ json, pairedItem })));
    } else {
      const json = { ...input[item]?.json, onceKey: keys[item] };
      outputs[0].push({ ...input[item], json, pairedItem });
    }
  });
  return outputs;
}

function keyOfItem(context: IExecuteFunctions, itemIndex: number): string {
  const work = [String(context.getWorkflow().id), context.getNode().id];
  const knownBy = checkedChoice(
    context.getNodeParameter('knownBy', itemIndex, undefined),
    'Work Is Known By',
    ['execution', 'own'],
  );
  if (knownBy === 'own') {
    const own = once.checkedOwnKey(context.getNodeParameter('ownKey', itemIndex, undefined));
    return once.keyOf([...work, 'own', own]);
  }
  return once.keyOf([...work, 'execution', rootOf(context), runOf(context), itemIndex]);
}

/**
 * Which run of the node this is, as for the first of the retries: after a crash, n8n puts a run that never was into the data
 * of each node that had begun, and a retry begins with the trigger all the same.
 */
function runOf(context: IExecuteFunctions): number {
  const { $items, $runIndex } = context.getWorkflowDataProxy(0) as unknown as {
    $items: (node: string, output: number, run: number) => INodeExecutionData[];
    $runIndex: number;
  };
  const { name } = context.getNode();
  const wasReal = (run: number): boolean => {
    try {
      return $items(name, 0, run)[0]?.json['isArtificialRecoveredEventItem'] !== true;
    } catch {
      return true;
    }
  };
  return Array.from({ length: $runIndex }, (_, run) => wasReal(run)).filter(Boolean).length;
}

/**
 * n8n makes a secret for the URLs that resume an execution. It lies in the data of the execution, which each retry begins
 * with, so it is the same in a retry of a retry. A node is not told of which execution this is a retry.
 */
function rootOf(context: IExecuteFunctions): string {
  // A retry has the mode in which the first of them began.
  const began = (context as Partial<IExecuteFunctions>).getExecutionContext?.call(context)?.source;
  if ([began, context.getMode()].includes('integrated')) {
    throw new Mistake(
      "In a sub-workflow, choose 'Own Key': a retry of the calling workflow begins a new sub-execution",
    );
  }
  const { resumeUrl } = context.getWorkflowDataProxy(0)['$execution'] as { resumeUrl: string };
  const secret = new URL(resumeUrl).searchParams.get('signature');
  if (secret) return secret;
  throw new Mistake(
    "Choose 'Own Key': this version of n8n gives an execution and its retries nothing in common",
  );
}

function refuseTwins(keys: string[]): void {
  const twin = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  if (twin === -1) return;
  const first = keys.indexOf(keys[twin] ?? '');
  throw new Mistake(`The items ${first} and ${twin} have the same key, so they are the same work`);
}

async function storeAll(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const input = context.getInputData();
  const credential = await context.getCredentials('queueRedisApi', 0);
  const hours = checkedNumber(context.getNodeParameter('keepHours', 0, undefined), keep);
  const works = new Map<string, { first: number; items: INodeExecutionData[] }>();
  input.forEach((item, index) => {
    if (Object.keys(item.binary ?? {}).length > 0) {
      throw new Mistake(
        `Item ${index} has binary data, which Once does not store: remove it first`,
      );
    }
    const key = once.checkedOnceKey(context.getNodeParameter('onceKey', index, undefined));
    const work = works.get(key) ?? { first: index, items: [] };
    work.items.push({ json: item.json, pairedItem: { item: index } });
    works.set(key, work);
  });
  const results = [...works].map(([key, { items }]) => ({
    key,
    json: once.resultOf(items.map(({ json }) => json)),
  }));
  const before = await once.store(credential, results, Math.round(hours * 3_600_000));
  return [
    [...works.values()].flatMap(({ first, items }, index) => {
      // The first result counts, so that all who did this work go on with the same one.
      const stored: IDataObject[] | null | undefined = before[index];
      return stored?.map((json) => ({ json, pairedItem: { item: first } })) ?? items;
    }),
  ];
}
