import type { AlertGroup } from '../alert';
import { availability } from './availability';
import { executions } from './executions';
import { exporter } from './exporter';
import { memoryAndCpu } from './memory-and-cpu';
import { queue } from './queue';
import { stores } from './stores';
import { webhooks } from './webhooks';

export const alertGroups: readonly AlertGroup[] = [
  availability,
  webhooks,
  queue,
  executions,
  memoryAndCpu,
  stores,
  exporter,
];
