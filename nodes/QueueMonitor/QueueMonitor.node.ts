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
import { n8nRole } from '../shared/n8nProcess';
import { cancelledError, errorItem, nodeError } from '../shared/nodeError';
import { Cancelled, sleep } from '../shared/sleep';
import {
  queueName,
  queueNameProperty,
  queueRedisApiTest,
  readQueue,
  type QueueMeasures,
} from './queue/read';

const timeout: Bounds = { title: 'Timeout (Seconds)', min: 1, max: 86_400 };
const poll: Bounds = { title: 'Check Every (Ms)', min: 100, max: 60_000 };

export class QueueMonitor implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Queue Monitor',
    name: 'queueMonitor',
    icon: { light: 'file:queueMonitor.svg', dark: 'file:queueMonitor.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle:
      '={{ ({ read: "Read", waitUntilDrained: "Wait Until Drained" })[$parameter["operation"]] + ": " + $parameter["queue"] }}',
    description:
      "Read n8n's own queue: jobs by state, the age of the oldest waiting job, the number of workers",
    defaults: { name: 'Queue Monitor' },
    inputs: ['main'],
    outputs: ['main'],
    usableAsTool: true,
    credentials: [{ name: 'queueRedisApi', required: true, testedBy: 'queueRedisApiTest' }],
    properties: [
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        default: 'read',
        options: [
          {
            name: 'Read',
            value: 'read',
            description:
              'Get the number of jobs by state, the age of the oldest waiting job and the number of workers',
            action: 'Read the queue',
          },
          {
            name: 'Wait Until Drained',
            value: 'waitUntilDrained',
            description: 'Wait until no job is left, or fail after a timeout',
            action: 'Wait until the queue is drained',
          },
        ],
      },
      queueNameProperty,
      {
        displayName: 'Timeout (Seconds)',
        name: 'timeoutSeconds',
        type: 'number',
        default: 300,
        typeOptions: { minValue: timeout.min, maxValue: timeout.max },
        displayOptions: { show: { operation: ['waitUntilDrained'] } },
        description: 'How long to wait before the node fails with the number of jobs that are left',
      },
      {
        displayName: 'Check Every (Ms)',
        name: 'pollMs',
        type: 'number',
        default: 1000,
        typeOptions: { minValue: poll.min, maxValue: poll.max },
        displayOptions: { show: { operation: ['waitUntilDrained'] } },
        description: 'How often to read the queue, in milliseconds',
      },
    ],
  };

  methods = { credentialTest: { queueRedisApiTest } };

  constructor() {
    this.description.icon = themedIcon({
      light: 'file:queueMonitor.svg',
      dark: 'file:queueMonitor.dark.svg',
    });
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const output: INodeExecutionData[] = [];
    for (let itemIndex = 0; itemIndex < this.getInputData().length; itemIndex += 1) {
      try {
        output.push({ json: await runOne(this, itemIndex), pairedItem: { item: itemIndex } });
      } catch (error) {
        // A cancelled execution ends here, whatever the node is set to do on errors.
        if (error instanceof Cancelled) throw cancelledError(this.getExecutionId());
        if (!this.continueOnFail()) {
          if (!(error instanceof Mistake)) throw error;
          const { message, description } = error;
          throw nodeError(this.getNode(), message, { itemIndex, description });
        }
        output.push({ json: errorItem(error), pairedItem: { item: itemIndex } });
      }
    }
    return [output];
  }
}

async function runOne(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
  const parameter = (name: string): unknown => context.getNodeParameter(name, itemIndex, undefined);
  const credential = await context.getCredentials('queueRedisApi', itemIndex);
  const queue = queueName(parameter('queue'));
  // On a worker this execution is itself a job, and would wait for itself.
  const ownExecutionId = n8nRole(process.argv) === 'worker' ? context.getExecutionId() : undefined;
  const read = () => readQueue(credential, { queue, ownExecutionId });

  const operation = checkedChoice(parameter('operation'), 'Operation', [
    'read',
    'waitUntilDrained',
  ]);
  if (operation === 'read') return { ...(await read()) };
  const { measures, waitedMs } = await waitUntilDrained(read, {
    timeoutMs: checkedNumber(parameter('timeoutSeconds'), timeout) * 1000,
    pollMs: checkedNumber(parameter('pollMs'), poll),
    // n8n 0.x has no such function.
    signal: (context as Partial<IExecuteFunctions>).getExecutionCancelSignal?.call(context),
  });
  return { ...measures, waitedMs };
}

interface Drained {
  measures: QueueMeasures;
  waitedMs: number;
}

/**
 * Reads until nothing is left to do. A job that asks waits only for those that came before it: two
 * that wait at the same time would otherwise wait for each other.
 */
async function waitUntilDrained(
  read: () => Promise<QueueMeasures>,
  limits: { timeoutMs: number; pollMs: number; signal: AbortSignal | undefined },
): Promise<Drained> {
  const began = performance.now();
  for (;;) {
    const measures = await read();
    const waitedMs = Math.round(performance.now() - began);
    if (jobsLeft(measures) === 0) return { measures, waitedMs };
    if (waitedMs + limits.pollMs > limits.timeoutMs) {
      const { waiting, active, delayed, paused, jobsBeforeOwn } = measures;
      const own = jobsBeforeOwn === null ? '' : ` ${jobsBeforeOwn} of them came before this job.`;
      throw new Mistake(
        `The queue '${measures.queue}' is not drained after ${Math.round(waitedMs / 1000)} s`,
        `Left: ${waiting} waiting, ${active} active, ${delayed} delayed, ${paused} paused.${own}`,
      );
    }
    await sleep(limits.pollMs, limits.signal);
  }
}

function jobsLeft(measures: QueueMeasures): number {
  const { waiting, active, delayed, paused, jobsBeforeOwn } = measures;
  return jobsBeforeOwn ?? waiting + active + delayed + paused;
}
