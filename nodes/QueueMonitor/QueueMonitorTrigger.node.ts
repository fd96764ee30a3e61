import type {
  IDataObject,
  INodeType,
  INodeTypeDescription,
  ITriggerFunctions,
  ITriggerResponse,
} from 'n8n-workflow';
import { checkedBoolean, checkedChoice, checkedNumber } from '../shared/bounds';
import { themedIcon } from '../shared/icon';
import { Mistake } from '../shared/mistake';
import { nodeError } from '../shared/nodeError';
import { CALM, nextAlarm, type AlarmEvent, type AlarmRule, type AlarmState } from './queue/alarm';
import {
  queueName,
  queueNameProperty,
  queueRedisApiTest,
  readQueue,
  type QueueMeasures,
} from './queue/read';

const MEASURES = [
  'active',
  'completed',
  'delayed',
  'failed',
  'oldestWaitingSeconds',
  'paused',
  'waiting',
  'workers',
] as const;
const MAX_VALUE = 1_000_000_000;

export class QueueMonitorTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Queue Monitor Trigger',
    name: 'queueMonitorTrigger',
    icon: { light: 'file:queueMonitor.svg', dark: 'file:queueMonitor.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle:
      '={{ $parameter["measure"] + " " + $parameter["direction"] + " " + $parameter["threshold"] }}',
    description: "Start the workflow when n8n's own queue stays beyond a threshold for some time",
    eventTriggerDescription: '',
    activationMessage: 'The queue is now being monitored.',
    defaults: { name: 'Queue Monitor Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'queueRedisApi', required: true, testedBy: 'queueRedisApiTest' }],
    properties: [
      queueNameProperty,
      {
        displayName: 'Measure',
        name: 'measure',
        type: 'options',
        default: 'waiting',
        options: [
          { name: 'Active', value: 'active', description: 'Jobs that workers are running' },
          {
            name: 'Completed',
            value: 'completed',
            description: 'Finished jobs that are still kept',
          },
          { name: 'Delayed', value: 'delayed', description: 'Jobs that are scheduled for later' },
          { name: 'Failed', value: 'failed', description: 'Failed jobs that are still kept' },
          {
            name: 'Oldest Waiting (Seconds)',
            value: 'oldestWaitingSeconds',
            description: 'How long the oldest waiting job has waited',
          },
          {
            name: 'Paused',
            value: 'paused',
            description: 'Jobs that wait while the queue is paused',
          },
          { name: 'Waiting', value: 'waiting', description: 'Jobs that no worker has taken yet' },
          { name: 'Workers', value: 'workers', description: 'Processes that take jobs' },
        ],
        description: 'What to watch',
      },
      {
        displayName: 'Direction',
        name: 'direction',
        type: 'options',
        default: 'over',
        options: [
          {
            name: 'Over the Threshold',
            value: 'over',
            description: 'For example too many waiting jobs',
          },
          {
            name: 'Under the Threshold',
            value: 'under',
            description: 'For example too few workers',
          },
        ],
        description: 'On which side of the threshold to start the workflow',
      },
      {
        displayName: 'Threshold',
        name: 'threshold',
        type: 'number',
        default: 100,
        typeOptions: { minValue: 0, maxValue: MAX_VALUE },
        description: 'The measure must be beyond this value; equal to it is not enough',
      },
      {
        displayName: 'For (Seconds)',
        name: 'forSeconds',
        type: 'number',
        default: 60,
        typeOptions: { minValue: 0, maxValue: 86_400 },
        description:
          'How long the measure must stay beyond the threshold without interruption before the workflow starts',
      },
      {
        displayName: 'Clears At',
        name: 'clearAt',
        type: 'number',
        default: 50,
        typeOptions: { minValue: 0, maxValue: MAX_VALUE },
        description:
          'The measure must return to this value before the workflow can start again, so that a measure near the threshold does not start it repeatedly',
      },
      {
        displayName: 'Also When It Clears',
        name: 'alsoWhenCleared',
        type: 'boolean',
        default: false,
        description: 'Whether to start the workflow again when the measure has returned',
      },
      {
        displayName: 'Check Every (Seconds)',
        name: 'pollSeconds',
        type: 'number',
        default: 10,
        typeOptions: { minValue: 1, maxValue: 3600 },
        description: 'How often to read the queue',
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

  async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
    try {
      const watch = await watchOf(this);
      const first = await watch.read();
      if (this.getMode() !== 'manual') return { closeFunction: startWatching(this, watch, first) };
      // A test run shows what the workflow would be given, whatever the queue is like.
      const manualTriggerFunction = async (): Promise<void> =>
        emit(this, watch, 'raised', await watch.read());
      return { manualTriggerFunction };
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      const { message, description } = error;
      throw nodeError(this.getNode(), message, { description });
    }
  }
}

interface Watch {
  rule: AlarmRule;
  measure: (typeof MEASURES)[number];
  alsoWhenCleared: boolean;
  pollMs: number;
  /** Which queue it is, in which Redis. */
  source: string[];
  read: () => Promise<QueueMeasures>;
}

async function watchOf(context: ITriggerFunctions): Promise<Watch> {
  const parameter = (name: string): unknown => context.getNodeParameter(name, undefined);
  const number = (name: string, title: string, min: number, max: number): number =>
    checkedNumber(parameter(name), { title, min, max });
  const rule: AlarmRule = {
    direction: checkedChoice(parameter('direction'), 'Direction', ['over', 'under']),
    threshold: number('threshold', 'Threshold', 0, MAX_VALUE),
    clearAt: number('clearAt', 'Clears At', 0, MAX_VALUE),
    holdMs: number('forSeconds', 'For (Seconds)', 0, 86_400) * 1000,
  };
  const wrongSide =
    rule.direction === 'over' ? rule.clearAt > rule.threshold : rule.clearAt < rule.threshold;
  if (wrongSide) {
    const side = rule.direction === 'over' ? 'above' : 'below';
    throw new Mistake(
      `'Clears At' must not be ${side} 'Threshold', or the alarm would clear at once`,
    );
  }
  const credential = await context.getCredentials('queueRedisApi');
  const queue = queueName(parameter('queue'));
  return {
    rule,
    measure: checkedChoice(parameter('measure'), 'Measure', MEASURES),
    alsoWhenCleared: checkedBoolean(parameter('alsoWhenCleared'), 'Also When It Clears'),
    pollMs: number('pollSeconds', 'Check Every (Seconds)', 1, 3600) * 1000,
    source: [context.getNode().credentials?.['queueRedisApi']?.id ?? '', queue],
    read: () => readQueue(credential, { queue }),
  };
}

/** Reads again and again until closed; while Redis is away it goes on trying and says so once. */
function startWatching(
  context: ITriggerFunctions,
  watch: Watch,
  first: QueueMeasures,
): () => Promise<void> {
  let closed = false;
  const kept = keptAlarm(context, watch);
  let state: AlarmState = { ...CALM, raised: kept.raised() };
  let away = false;
  // n8n 0.x gives a trigger no logger.
  const { logger } = context as Partial<ITriggerFunctions>;

  const judge = (measures: QueueMeasures | null): void => {
    const sample = measures === null ? null : measures[watch.measure];
    const next = nextAlarm(watch.rule, state, sample, performance.now());
    state = next.state;
    if (next.event === null || measures === null) return;
    kept.keep(state.raised);
    if (next.event === 'raised' || watch.alsoWhenCleared)
      emit(context, watch, next.event, measures);
  };
  const look = async (): Promise<void> => {
    let measures: QueueMeasures | null = null;
    try {
      measures = await watch.read();
      if (away) logger?.info('Queue Monitor Trigger reads the queue again');
      away = false;
    } catch (error) {
      if (!away) logger?.warn(`Queue Monitor Trigger goes on trying: ${String(error)}`);
      away = true;
    }
    if (closed) return;
    judge(measures);
    timer = setTimeout(() => void look(), watch.pollMs);
  };
  judge(first);
  let timer = setTimeout(() => void look(), watch.pollMs);

  return async () => {
    closed = true;
    clearTimeout(timer);
  };
}

/**
 * Whether the alarm is raised, kept with the workflow: a restart of n8n or another leader does not raise it again. n8n stores
 * it when it starts an execution. A workflow that a user changed or published anew begins without an alarm.
 */
function keptAlarm(
  context: ITriggerFunctions,
  { rule, measure, source }: Watch,
): { raised(): boolean; keep(raised: boolean): void } {
  const data = context.getWorkflowStaticData('node');
  const of = JSON.stringify([source, measure, rule]);
  const goesOn = ['init', 'leadershipChange'].includes(context.getActivationMode());
  if (!goesOn) delete data['raised'];
  return {
    raised: () => data['raised'] === of,
    keep(raised) {
      if (raised) data['raised'] = of;
      else delete data['raised'];
    },
  };
}

function emit(
  context: ITriggerFunctions,
  { measure, rule }: Watch,
  event: AlarmEvent,
  measures: QueueMeasures,
): void {
  const value = measures[measure];
  const json: IDataObject = { event, measure, value, ...rule, queue: { ...measures } };
  context.emit([[{ json }]]);
}
