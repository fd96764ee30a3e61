import type { CasesByAlert } from '../support/case';
import { availability } from './availability';
import { executions } from './executions';
import { exporter } from './exporter';
import { memoryAndCpu } from './memory-and-cpu';
import { queue } from './queue';
import { stores } from './stores';
import { webhooks } from './webhooks';

export const cases: CasesByAlert = {
  ...availability,
  ...webhooks,
  ...queue,
  ...executions,
  ...memoryAndCpu,
  ...stores,
  ...exporter,
};
