import type { Bounds } from '../../shared/bounds';
import { nodeError, type ResponseError } from '../../shared/nodeError';
import { choiceOf, numberOf, type Operation } from './operation';

const probability: Bounds = { title: 'Probability', min: 0, max: 1 };
const status: Bounds = { title: 'Status', min: 400, max: 599, integer: true };

/** Failed as a service that responds with an error. */
export class FailedAsStatus extends Error {
  readonly response: ResponseError;

  constructor(message: string, status: number) {
    super(message);
    const code = status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE';
    this.response = { name: 'AxiosError', message, code, status };
  }
}

export const fail: Operation = {
  option: {
    name: 'Fail',
    value: 'fail',
    description: 'Fail with a given probability',
    action: 'Fail at random',
  },
  properties: [
    {
      displayName: 'Probability',
      name: 'probability',
      type: 'number',
      default: 0.1,
      typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 4 },
      description: 'How often to fail, from 0 (never) to 1 (always)',
    },
    {
      displayName: 'Fail As',
      name: 'failAs',
      type: 'options',
      default: 'nodeError',
      options: [
        {
          name: 'HTTP Status',
          value: 'httpStatus',
          description: 'As when a service responds with an error',
        },
        {
          name: 'Node Error',
          value: 'nodeError',
          description: 'As when a node cannot do its work',
        },
        {
          name: 'Thrown Text',
          value: 'thrownText',
          description: 'As when code throws a text instead of an error object',
        },
      ],
      description: 'What kind of failure to cause',
    },
    {
      displayName: 'Status',
      name: 'httpStatus',
      type: 'number',
      default: 503,
      typeOptions: { minValue: status.min, maxValue: status.max },
      displayOptions: { show: { failAs: ['httpStatus'] } },
      description: 'HTTP status of the failure, 400 to 599',
    },
  ],
  async run(call) {
    const failAs = choiceOf(call, 'failAs', 'Fail As', ['nodeError', 'httpStatus', 'thrownText']);
    const asked = {
      probability: numberOf(call, 'probability', probability),
      failAs,
      ...(failAs === 'httpStatus' && { httpStatus: numberOf(call, 'httpStatus', status) }),
    };
    if (Math.random() >= asked.probability) return { asked, achieved: { failed: false } };

    const { itemIndex } = call;
    const message = 'Load Target failed, as it was asked to';
    if (failAs === 'thrownText') throw message;
    throw asked.httpStatus === undefined
      ? nodeError(call.node, message, { itemIndex })
      : new FailedAsStatus(`${message}, with status ${asked.httpStatus}`, asked.httpStatus);
  },
};
