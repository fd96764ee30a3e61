// On a real n8n with the chart's settings and a real Prometheus: every series and label that an alert or a panel names is
// there, no alert fires while n8n is well, and the right one does when a worker is killed.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Running } from '../../cli/src/targets/target';
import { alertGroups } from '../../monitoring/alerts';
import { externalSeries } from '../../monitoring/external-series';
import { chart } from '../chart/support/helm.ts';
import { ask, bringUp, killed, never, quiet, workload } from '../process/stage';
import { Prometheus, type Target } from '../monitoring/support/prometheus';
import type { Rule } from '../monitoring/support/promtool';
import { renderEverything } from '../monitoring/support/rendered';
import { pause, until } from '../support/wait';

/** What of PromQL our own expressions use: every selector has braces. */

interface Selector {
  metric: string;
  text: string;
}

const selectorsOf = (expression: string): Selector[] =>
  [...expression.matchAll(/(\w+)\{[^}]*\}/g)].map(([text, metric = '']) => ({ metric, text }));

/** Labels by which an expression groups or joins, and those that a summary shows. */
function labelsOf(expression: string, summary = ''): string[] {
  const grouped = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(/, ?/),
  );
  const shown = [...summary.matchAll(/\$labels\.(\w+)/g)].flatMap(([, name]) => name ?? []);
  return [...new Set([...grouped, ...shown])];
}

jest.setTimeout(330_000);

const quick = workload('last-node');
const waits = workload('wait-5s');
const both = { ...quick, workflows: [...quick.workflows, ...waits.workflows] };
const alerts = alertGroups.flatMap((group) => group.alerts);
const boardsFolder = join(chart, 'files/monitoring/dashboards');
const REQUESTS = 60;

let folder: string;
let rules: Rule[];
let running: Record<'n8n' | 'regular', Running>;
let prometheus: Prometheus;
let firingWhenWell: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-series-'));
  const rendered = await renderEverything(folder);
  rules = rendered.rules;
  const env = {
    ...rendered.env,
    NODE_OPTIONS: `--require=${join(chart, 'files/preload/limit-metrics.cjs')}`,
    // So that a lost worker shows within seconds.
    N8N_METRICS_QUEUE_METRICS_INTERVAL: '1',
    QUEUE_WORKER_LOCK_DURATION: '3000',
    QUEUE_WORKER_LOCK_RENEW_TIME: '1000',
    QUEUE_WORKER_STALLED_INTERVAL: '1000',
  };
  // A container has a limit in the chart, by default.
  const main = { memoryMiB: 1536 };
  const queue = {
    mode: 'queue',
    main,
    workers: { ...main, count: 2 },
    webhooks: { ...main, count: 1 },
  };
  const [n8n, regular] = await Promise.all([
    bringUp({ ...queue, tuning: 'throughput', env }, both),
    bringUp({ mode: 'regular', main, tuning: 'throughput', env }, quick),
  ]);
  running = { n8n, regular };
  prometheus = await Prometheus.start(folder, {
    targets: targets(),
    rulesFiles: [rendered.rulesFile],
  });
  await Promise.all(Object.values(running).map((one) => one.ready(quick.requests, quiet, never())));
  await until(
    'Prometheus has scraped every process',
    async () => (await prometheus.query('up == 1')).length === targets().length,
  );
  for (let n = 0; n < REQUESTS; n += 1) {
    await Promise.all([
      ask(n8n, quick),
      ask(regular, quick),
      pause(50, 'the pace of the requests'),
    ]);
  }
  firingWhenWell = await prometheus.firing();

  const answers = Array.from({ length: 8 }, () => ask(n8n, waits));
  await until('most are at work', async () => (await activeJobs(n8n)) >= 6);
  killed(n8n, 'worker');
  const statuses = await Promise.all(answers);
  expect(statuses).toContain(500);
  // Traffic again, so that no rate is of nothing.
  await Promise.all([ask(n8n, quick), ask(regular, quick)]);
  await pause(2500, 'Prometheus scrapes each second: it has to see the traffic');
});

afterAll(async () => {
  await prometheus.stop();
  await Promise.all(Object.values(running).map((one) => one.down(quiet)));
  rmSync(folder, { recursive: true });
});

async function activeJobs({ redis }: Running): Promise<number> {
  const client = new Redis(redis?.url ?? '');
  try {
    return await client.llen('bull:jobs:active');
  } finally {
    client.disconnect();
  }
}

const targets = (): Target[] =>
  Object.entries(running).flatMap(([release, { metrics }]) =>
    metrics.map(({ role, url }, index) => ({
      url,
      labels: { namespace: 'n8n', release, role, pod: `${release}-${role}-${String(index)}` },
    })),
  );

test.each(alerts.map((alert) => [alert.name, alert] as const))(
  'what %s reads is there',
  async (name, { needs }) => {
    const rule = rules.find(({ alert }) => alert === name);
    const expr = rule?.expr ?? '';
    const labels = labelsOf(expr, rule?.annotations['summary']);
    expect(selectorsOf(expr)).not.toEqual([]);
    for (const { metric, text } of selectorsOf(expr)) {
      const external = externalSeries[metric];
      if (external === undefined) {
        // n8n makes the series of failures at the first one, which nothing here causes; the label it has at once.
        const series = await prometheus.query(text.replace('status="failed"', 'status!=""'));
        expect({ text, isThere: series.length > 0 }).toEqual({ text, isThere: true });
        const without = labels.filter((label) => series.every((one) => !one.metric[label]));
        expect({ text, without }).toEqual({ text, without: [] });
      } else {
        expect(needs).toContain(external.from);
        const given = ['namespace', 'release', ...external.labels];
        expect(labels.filter((label) => !given.includes(label))).toEqual([]);
      }
    }
  },
);

const boards = readdirSync(boardsFolder).map((file) => file.replace('.json', ''));

interface Board {
  panels: { type: string; title: string; targets?: { expr: string }[] }[];
}

/** Dashboards that the chart leaves out without a queue. */
const OF_QUEUE = ['n8n-queue-and-workers', 'n8n-database-and-redis'];

test.each(
  ['n8n', 'regular'].flatMap((release) =>
    boards
      .filter((board) => release === 'n8n' || !OF_QUEUE.includes(board))
      .map((board) => [board, release] as const),
  ),
)('no panel of %s is empty on %s', async (board, release) => {
  const { panels } = JSON.parse(readFileSync(join(boardsFolder, `${board}.json`), 'utf8')) as Board;
  const empty: string[] = [];
  for (const { title, targets: queries = [] } of panels) {
    for (const { expr } of queries) {
      const filled = expr
        .replaceAll('$namespace', 'n8n')
        .replaceAll('$release', release)
        .replaceAll('$__rate_interval', '2m')
        .replaceAll('$__range', '5m');
      expect(filled).not.toContain('$');
      const found = (await prometheus.query(filled)).filter(({ value }) => !Number.isNaN(value));
      if (found.length === 0) empty.push(`${title}: ${filled}`);
    }
  }
  expect(empty).toEqual([]);
});

test('no alert fires while n8n is well', () => {
  expect(firingWhenWell).toEqual([]);
});

test('a killed worker makes the alert on lost executions fire, and no other', async () => {
  await until('an alert fires', async () => (await prometheus.firing()).length > 0, 120_000);
  expect(await prometheus.firing()).toEqual(['N8nJobsStalled']);
});
