import type { INodeProperties } from 'n8n-workflow';
import { Mistake } from '../../shared/mistake';

export const queueNameProperty: INodeProperties = {
  displayName: 'Queue',
  name: 'queue',
  type: 'string',
  default: 'jobs',
  required: true,
  description: "Name of the queue: 'jobs', or 'jobs-' and the name of a worker pool",
};

export function queueName(value: unknown): string {
  if (typeof value === 'string' && /^[\w.-]+$/.test(value)) return value;
  throw new Mistake("'Queue' must be the name of a queue of n8n, such as jobs");
}
