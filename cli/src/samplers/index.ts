import type { Running } from '../targets/target';
import { bullQueueSampler } from './bull-queue';
import { controlGroupsSampler } from './control-group-figures';
import { hostSampler } from './host';
import { containersSampler } from './containers';
import { n8nMetricsSampler } from './n8n-metrics';
import { postgresqlSampler } from './postgresql';
import { processesSampler } from './processes';
import type { Sampler } from './sampler';
import { sqliteSampler } from './tables';
import { tablesSampler } from './tables';

/** The samplers that a target has something for; those of slow growth for a soak of at least that many seconds. */
export function samplersFor(running: Running, soakSeconds: number | null = null): Sampler[] {
  const roots = running.processes();
  return [
    ...(roots.length > 0 ? [processesSampler(), hostSampler()] : []),
    ...(roots.some(({ cgroup }) => cgroup !== undefined) ? [controlGroupsSampler()] : []),
    ...(running.containerStats === undefined ? [] : [containersSampler()]),
    ...(running.metrics.length > 0 ? [n8nMetricsSampler()] : []),
    ...(running.redis === null && !running.storeLooks?.queue ? [] : [bullQueueSampler()]),
    ...(running.postgresql === null && !running.storeLooks?.postgresql
      ? []
      : [postgresqlSampler()]),
    ...(running.sqlite ? [sqliteSampler()] : []),
    ...(soakSeconds !== null && (running.sqlite || running.postgresql !== null)
      ? [tablesSampler(soakSeconds)]
      : []),
  ];
}
