/** The same view out of a Prometheus: for pods that cannot be reached, and for what nobody brought up from here. */
import { chosen, orZero, quantile, rateOf, sumOf } from '../../../../monitoring/dashboards/spec';
import { filled, scrapeSecondsOf } from '../../analysis/panels';
import type { AlertsView, RoleView, View } from './analysis/view';
import { SAMPLED_ROLES } from '../../plan/roles';
import type { PrometheusApi, Vector } from '../../prometheus/query';
import { Mistake } from '../../ui/exit';

export interface Selected {
  /** Regular expressions that choose what is watched. */
  namespace: string;
  release: string;
}

const MEBI = 1024 * 1024;
const SCRAPED_WITHIN_SECONDS = 600;
const HISTORY_SECONDS = 30 * 60;
const HISTORY_STEPS = 30;

const ENDED = 'n8n_workflow_execution_duration_seconds_count';
const WEBHOOKS = 'n8n_webhook_request_duration_seconds';

/** PromQL by what it shows; those by role have a value for each. */
const QUERIES = {
  succeeded: sumOf(rateOf(ENDED, 'status="success"')),
  failed: orZero(sumOf(rateOf(ENDED, 'status="failed"'))),
  webhooks: sumOf(rateOf(`${WEBHOOKS}_count`)),
  webhookErrors: orZero(sumOf(rateOf(`${WEBHOOKS}_count`, 'status_code=~"5.."'))),
  webhookMean: `sum(${rateOf(`${WEBHOOKS}_sum`)}) / sum(${rateOf(`${WEBHOOKS}_count`)})`,
  webhookP95: quantile(0.95, `${WEBHOOKS}_bucket`),
  waiting: `max(${chosen('n8n_scaling_mode_queue_jobs_waiting')})`,
  active: `max(${chosen('n8n_scaling_mode_queue_jobs_active')})`,
  slots: sumOf(chosen('n8n_tuned_worker_concurrency')),
  instances: `sum by (role) (${chosen('up', 'role=~"main|worker|webhook"')})`,
  memory: `sum by (role) (${chosen('n8n_process_resident_memory_bytes')})`,
  memoryLimit: `sum by (role) (${chosen('n8n_tuned_memory_limit_bytes')})`,
  heap: `sum by (role) (${chosen('n8n_nodejs_heap_size_used_bytes')})`,
  heapLimit: `sum by (role) (${chosen('n8n_tuned_heap_limit_bytes')})`,
  cpu: `sum by (role) (${rateOf('n8n_process_cpu_seconds_total')})`,
  lag: `max by (role) (${chosen('n8n_nodejs_eventloop_lag_p99_seconds')})`,
} as const;

type Name = keyof typeof QUERIES;
type Answers = Record<Name, Vector[]>;

export class PrometheusView {
  private constructor(
    private readonly api: PrometheusApi,
    private readonly selected: Selected,
    readonly scrapeSeconds: number,
  ) {}

  /** Whether there is an n8n, and how often it is scraped. */
  static async of(api: PrometheusApi, selected: Selected): Promise<PrometheusView> {
    const { namespace, release } = selected;
    const scraped = await api.scraped(
      `n8n_process_start_time_seconds{namespace=~"${namespace}",release=~"${release}"}[${String(SCRAPED_WITHIN_SECONDS)}s]`,
      Date.now(),
    );
    if (scraped.length === 0) {
      throw new Mistake(
        `${api.url} has no n8n metrics in namespace ${namespace}, release ${release}: does Prometheus scrape n8n, and are these names correct?`,
      );
    }
    return new PrometheusView(api, selected, scrapeSecondsOf(scraped) ?? 60);
  }

  async look(nowMs: number): Promise<View> {
    const named = await Promise.all(
      Object.entries(QUERIES).map(
        async ([name, query]) => [name, await this.api.now(this.filled(query))] as const,
      ),
    );
    const answers = Object.fromEntries(named) as Answers;
    const histories = await Promise.all(
      [QUERIES.succeeded, QUERIES.waiting].map((query) => this.history(query, nowMs)),
    );
    return viewFrom(answers, histories[0] ?? [], histories[1] ?? []);
  }

  private filled(query: string): string {
    return filled(query, {
      ...this.selected,
      scrapeSeconds: this.scrapeSeconds,
      stepSeconds: 1,
      rangeSeconds: HISTORY_SECONDS,
    });
  }

  private async history(query: string, nowMs: number): Promise<number[]> {
    const [series] = await this.api.range(this.filled(query), {
      fromMs: nowMs - 1000 * HISTORY_SECONDS,
      toMs: nowMs,
      stepSeconds: HISTORY_SECONDS / HISTORY_STEPS,
    });
    return (series?.values ?? []).map(({ value }) => (Number.isFinite(value) ? value : 0));
  }
}

function viewFrom(answers: Answers, succeeded: number[], waiting: number[]): View {
  const one = (name: Name): number | null => {
    const value = answers[name][0]?.value;
    return value === undefined || !Number.isFinite(value) ? null : value;
  };
  const times = (value: number | null, factor: number): number | null =>
    value === null ? null : value * factor;
  const [rate, jobs, requests] = [one('succeeded'), one('waiting'), one('webhooks')];
  return {
    executions:
      rate === null
        ? null
        : { succeededPerSecond: rate, failedPerSecond: one('failed') ?? 0, history: succeeded },
    webhooks:
      requests === null
        ? null
        : {
            perSecond: requests,
            errorsPerSecond: one('webhookErrors') ?? 0,
            meanMs: times(one('webhookMean'), 1000),
            p95Ms: times(one('webhookP95'), 1000),
          },
    queue:
      jobs === null
        ? null
        : {
            waiting: jobs,
            active: one('active') ?? 0,
            oldestMs: null,
            slots: one('slots'),
            history: waiting,
          },
    roles: SAMPLED_ROLES.flatMap((role) => roleFrom(answers, role)),
    hostCores: null,
    events: [],
  };
}

function roleFrom(answers: Answers, role: string): RoleView[] {
  const of = (name: Name, per = 1): number | null => {
    const found = answers[name].find(({ labels }) => labels['role'] === role);
    return found === undefined || !Number.isFinite(found.value) ? null : found.value / per;
  };
  const instances = of('instances');
  if (instances === null) return [];
  return [
    {
      ...{ role, instances },
      ...{ memoryMiB: of('memory', MEBI), memoryLimitMiB: of('memoryLimit', MEBI) },
      ...{ heapMiB: of('heap', MEBI), heapLimitMiB: of('heapLimit', MEBI) },
      ...{ cpuCores: of('cpu'), eventLoopLagMs: of('lag', 0.001) },
    },
  ];
}

/** Those of our rules that fire there, for the n8n that is looked at. */
export async function firingThere(
  api: PrometheusApi,
  { namespace, release }: Selected,
): Promise<AlertsView> {
  const isOf = (label: string | undefined, pattern: string): boolean =>
    label === undefined || new RegExp(`^(?:${pattern.replaceAll('\\\\', '\\')})$`).test(label);
  const firing = (await api.firing()).filter(
    ({ name, labels }) =>
      name.startsWith('N8n') &&
      isOf(labels['namespace'], namespace) &&
      isOf(labels['release'], release),
  );
  return {
    source: `the rules of ${api.url}`,
    firing: firing.map(({ name, severity, summary }) => ({
      name: severity === '' ? name : `${name}, ${severity}`,
      text: summary,
    })),
  };
}
