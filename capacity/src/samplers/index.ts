import type { Running } from '../targets/target';
import { bullQueueSampler } from './bull-queue';
import { controlGroupsSampler } from './control-groups';
import { hostSampler } from './host';
import { insidesSampler } from './insides';
import { n8nMetricsSampler } from './n8n-metrics';
import { postgresqlSampler } from './postgresql';
import { processesSampler } from './processes';
import type { Sampler } from './sampler';

/** The samplers that a target has something for. */
export function samplersFor(running: Running): Sampler[] {
  const roots = running.processes();
  return [
    ...(roots.length > 0 ? [processesSampler(), hostSampler()] : []),
    ...(roots.some(({ cgroup }) => cgroup !== undefined) ? [controlGroupsSampler()] : []),
    ...(running.insides === undefined ? [] : [insidesSampler()]),
    ...(running.metrics.length > 0 ? [n8nMetricsSampler()] : []),
    ...(running.redis === null ? [] : [bullQueueSampler()]),
    ...(running.postgresql === null ? [] : [postgresqlSampler()]),
  ];
}
