import type { DashboardSpec } from '../spec';
import { capacity } from './capacity';
import { stores } from './database-and-redis';
import { memory } from './memory-and-heap';
import { overview } from './overview';
import { queue } from './queue-and-workers';
import { webhooks } from './webhooks-and-latency';

/** In the order in which one looks at them. */
export const boards: readonly DashboardSpec[] = [
  overview,
  capacity,
  queue,
  memory,
  webhooks,
  stores,
];
