import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../../../cli/src/targets/process/ports';
import { paths } from '../../chart/support/helm.ts';
import { until } from '../../support/wait';

export interface Target {
  url: string;
  labels: Record<string, string>;
}

export interface Sample {
  metric: Record<string, string>;
  value: number;
}

/** A real Prometheus that scrapes each second and evaluates rules. */
export class Prometheus {
  private constructor(
    private readonly process: ChildProcess,
    readonly url: string,
  ) {}

  static async start(
    folder: string,
    {
      targets = [],
      rulesFiles = [],
      flags = [],
    }: { targets?: Target[]; rulesFiles?: string[]; flags?: string[] },
  ): Promise<Prometheus> {
    const port = await freePort();
    const file = join(folder, 'prometheus.yaml');
    const scrape = targets.map(({ url, labels }) => ({ targets: [new URL(url).host], labels }));
    writeFileSync(
      file,
      stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: rulesFiles,
        scrape_configs: [{ job_name: 'n8n', static_configs: scrape }],
      }),
    );
    const process = spawn(
      join(paths.bin, 'prometheus'),
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${String(port)}`,
        '--log.level=error',
        ...flags,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const started = new Prometheus(process, `http://127.0.0.1:${String(port)}`);
    await until('Prometheus is ready', () => started.isReady());
    return started;
  }

  async query(expression: string): Promise<Sample[]> {
    const { result } = await this.ask<{
      result: { metric: Sample['metric']; value: [number, string] }[];
    }>(`/api/v1/query?query=${encodeURIComponent(expression)}`);
    return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  }

  /** Names of the alerts that fire. */
  async firing(): Promise<string[]> {
    const { alerts } = await this.ask<{
      alerts: { state: string; labels: Record<string, string> }[];
    }>('/api/v1/alerts');
    const names = alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => labels['alertname'] ?? '');
    return [...new Set(names)].sort();
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null) return;
    this.process.kill('SIGTERM');
    await once(this.process, 'exit');
  }

  private async isReady(): Promise<boolean> {
    if (this.process.exitCode !== null) throw new Error('Prometheus ended at its start');
    return fetch(`${this.url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  private async ask<T>(path: string): Promise<T> {
    const answer = (await (await fetch(`${this.url}${path}`)).json()) as {
      status: string;
      data: T;
      error?: string;
    };
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error ?? ''}`);
    return answer.data;
  }
}
