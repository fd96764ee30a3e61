// Puts load on a real n8n in queue mode that a real Prometheus scrapes, and keeps what each panel of the dashboards then
// shows in docs/records/dashboards.json. `npm run generate` draws it. `make dashboards` does both, in about two minutes.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../cli/src/lab/paths';
import type { RecordedPanels } from '../cli/src/record/panels';
import type { RunRecord } from '../cli/src/record/run-record';
import { freePort } from '../cli/src/targets/process/ports';
import { serve } from '../studies/alerts/processes';
import { asked } from '../studies/alerts/prometheus';
import { programOfLab } from '../studies/alerts/watchers';
import type { Up } from '../studies/up';

const WORKLOAD = 'expressions';
const LOAD = ['--rate', '6', '--warmup', '10s', '--duration', '70s'];
/** What n8n and the chart set, so that every panel has data. */
const VARIABLES = [
  'N8N_METRICS_INCLUDE_QUEUE_METRICS=true',
  'N8N_METRICS_INCLUDE_WEBHOOK_METRICS=true',
  'N8N_METRICS_QUEUE_METRICS_INTERVAL=1',
];

const root = repositoryRoot();
const cli = join(root, 'cli/dist/cli.js');
const limits = join(root, 'charts/n8n-tuned/files/preload/limit-metrics.cjs');
const name = `dashboards-${String(process.pid)}`;
const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-dashboards-'));

/** Its answer, also with the exit code of a run that is not sustained. */
async function tuned(...args: string[]): Promise<string> {
  const options = { maxBuffer: 64 * 2 ** 20, encoding: 'utf8' as const };
  try {
    return (await promisify(execFile)(process.execPath, [cli, ...args], options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & Record<string, string>;
    if (stdout !== '') return stdout;
    throw new Error(stderr === '' ? message : stderr, { cause: error });
  }
}

/** JSON is YAML. */
const configurationOf = ({ metrics }: UpInQueue): string =>
  JSON.stringify({
    global: { scrape_interval: '1s' },
    scrape_configs: [
      {
        job_name: 'n8n',
        static_configs: metrics.map(({ role, instance, url }) => ({
          targets: [new URL(url).host],
          // Names instead of ports, which differ each time.
          labels: { namespace: 'n8n', release: 'n8n', role, instance },
        })),
      },
    ],
  });

interface UpInQueue extends Up {
  metrics: { role: string; instance: string; url: string }[];
  topology: { env: Record<string, string> };
}

async function startPrometheus(up: UpInQueue) {
  const url = `http://127.0.0.1:${String(await freePort())}`;
  writeFileSync(join(folder, 'prometheus.yaml'), configurationOf(up));
  const flags = [
    `--config.file=${folder}/prometheus.yaml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=${new URL(url).host}`,
    '--web.enable-remote-write-receiver',
    '--log.level=error',
  ];
  return { url, ...(await serve(programOfLab('prometheus'), flags, `${url}/-/ready`)) };
}

let prometheus: Awaited<ReturnType<typeof startPrometheus>> | undefined;
try {
  const up = JSON.parse(
    await tuned(
      ...['up', '--name', name, '--json', '--workload', WORKLOAD, '--memory', '1536Mi'],
      ...['--mode', 'queue', '--workers', '2', '--webhooks', '1'],
      ...[...VARIABLES, `NODE_OPTIONS=--require=${limits}`].flatMap((one) => ['--env', one]),
    ),
  ) as UpInQueue;
  prometheus = await startPrometheus(up);
  const { url } = prometheus;
  const record = JSON.parse(
    await tuned(
      ...['run', '--target', 'url', '--url', up.baseUrl, '--workload', WORKLOAD, '--json'],
      ...['--out', folder, '--prometheus-remote-write', `${url}/api/v1/write`, ...LOAD],
    ),
  ) as RunRecord & { folder: string };
  await tuned('report', record.folder, '--prometheus', url);
  const text = readFileSync(join(record.folder, 'prometheus.json'), 'utf8');
  const panels = JSON.parse(text) as RecordedPanels;
  const { version } = await asked<{ version: string }>(url, 'status/buildinfo');
  const { workload, profile, versions, machine, startedAt, verdict } = record;
  const env = Object.entries(up.topology.env).filter(([variable]) => variable !== 'NODE_OPTIONS');
  const topology = { ...up.topology, env: Object.fromEntries(env) };
  const kept = {
    ...{ startedAt, loadAverage: loadavg()[1], sentence: verdict.sentence },
    ...{ workload: workload.name, profile, machine, topology },
    versions: { ...versions, n8n: up.versions['n8n'], prometheus: version },
    ...panels,
  };
  const short = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(5)) : value;
  writeFileSync(
    join(root, 'docs/records/dashboards.json'),
    `${JSON.stringify(kept, short).replaceAll('{"board"', '\n{"board"')}\n`,
  );
  console.log(`${String(panels.panels.length)} panels: ${verdict.sentence}`);
} finally {
  await prometheus?.stop();
  await tuned('down', name).catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
}
