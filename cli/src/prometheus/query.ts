import { Mistake } from '../ui/exit';
import { addressOf, ask, firstLine, NoAnswer, type Address } from './address';
import type { Labels } from './series';

export const PROMETHEUS_FLAG = '--prometheus';

/** One value now, or several over time. */
export interface Vector {
  labels: Labels;
  value: number;
}

export interface Matrix {
  labels: Labels;
  values: { atMs: number; value: number }[];
}

export interface FiringAlert {
  name: string;
  severity: string;
  /** Its annotation, filled in; empty where the rule has none. */
  summary: string;
  labels: Labels;
  sinceMs: number;
}

type Pair = [seconds: number, value: string];

/** Asks a Prometheus, or whatever else has its HTTP API: https://prometheus.io/docs/prometheus/latest/querying/api/ */
export class PrometheusApi {
  private constructor(private readonly address: Address) {}

  static at(text: string): PrometheusApi {
    return new PrometheusApi(
      addressOf(text, {
        flag: PROMETHEUS_FLAG,
        example: 'http://127.0.0.1:9090',
        tokenVariable: 'PROMETHEUS_TOKEN',
      }),
    );
  }

  get url(): string {
    return this.address.url;
  }

  /** Whether it answers queries: asked before anything else is done. */
  async check(): Promise<void> {
    await this.now('vector(1)').catch((error: unknown) => {
      if (error instanceof NoAnswer) throw new Mistake(`${PROMETHEUS_FLAG}: ${error.message}.`);
      throw error;
    });
  }

  async now(query: string): Promise<Vector[]> {
    const { result } = await this.get<{ result: { metric: Labels; value: Pair }[] }>('query', {
      query,
    });
    return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }

  /** The samples as they were scraped: `query` ends with a range, like `up[5m]`. */
  async scraped(query: string, atMs: number): Promise<Matrix[]> {
    return this.matrix('query', { query, time: String(atMs / 1000) });
  }

  async range(
    query: string,
    { fromMs, toMs, stepSeconds }: { fromMs: number; toMs: number; stepSeconds: number },
  ): Promise<Matrix[]> {
    return this.matrix('query_range', {
      ...{ query, start: String(fromMs / 1000), end: String(toMs / 1000) },
      step: String(stepSeconds),
    });
  }

  async firing(): Promise<FiringAlert[]> {
    const { alerts } = await this.get<{
      alerts: { state: string; labels: Labels; annotations: Labels; activeAt?: string }[];
    }>('alerts', {});
    return alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels, annotations, activeAt }) => ({
        name: labels['alertname'] ?? '',
        severity: labels['severity'] ?? '',
        summary: annotations['summary'] ?? '',
        labels,
        sinceMs: Date.parse(activeAt ?? ''),
      }));
  }

  private async matrix(path: string, given: Record<string, string>): Promise<Matrix[]> {
    const { result } = await this.get<{ result: { metric: Labels; values: Pair[] }[] }>(
      path,
      given,
    );
    return result.map(({ metric, values }) => ({
      labels: metric,
      values: values.map(([seconds, value]) => ({ atMs: seconds * 1000, value: Number(value) })),
    }));
  }

  private async get<Data>(path: string, given: Record<string, string>): Promise<Data> {
    const search = new URLSearchParams(given).toString();
    const { status, text } = await ask(this.address, `/api/v1/${path}?${search}`);
    const answer = parsed(text) as { status?: string; error?: string; data?: Data } | null;
    if (answer?.status === 'success' && answer.data !== undefined) return answer.data;
    const what = `${this.url} responded with status ${String(status)}`;
    if (status === 401 || status === 403) {
      throw new NoAnswer(`${what}: use http://user:password@..., or a token in PROMETHEUS_TOKEN`);
    }
    throw new NoAnswer(
      answer?.error === undefined
        ? `${what}, but not in the format of Prometheus: use the address of Prometheus without /api/v1`
        : `${what} (${firstLine(answer.error)})`,
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
