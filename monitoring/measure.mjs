#!/usr/bin/env node
// Puts load on a real n8n in queue mode that a real Prometheus scrapes, and keeps what each panel of the dashboards then
// shows in docs/records/dashboards.json. `npm run generate` draws it. `make dashboards` does both, in about two minutes.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cache } from '../lab/cache.mjs';
import { freePort } from '../lab/free-port.mjs';

const WORKLOAD = 'expressions';
const LOAD = '--rate 6 --warmup 10s --duration 70s'.split(' ');
/** What n8n and the chart set, so that every panel has data. */
const VARIABLES = [
  'N8N_METRICS_INCLUDE_QUEUE_METRICS=true',
  'N8N_METRICS_INCLUDE_WEBHOOK_METRICS=true',
  'N8N_METRICS_QUEUE_METRICS_INTERVAL=1',
];

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'cli/dist/cli.js');
const limits = join(root, 'charts/n8n-tuned/files/preload/limit-metrics.cjs');
const name = `dashboards-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-dashboards-'));

/** Its answer, also with the exit code of a run that is not sustained. */
async function tuned(...args) {
  const options = { maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run(process.execPath, [cli, ...args], options).catch((error) => {
    if (error.stdout) return error;
    throw new Error(error.stderr || error.message);
  });
  return stdout;
}

function configuration(metrics) {
  const targets = metrics.map(({ role, instance, url }) => ({
    targets: [new URL(url).host],
    // Names instead of ports, which differ each time.
    labels: { namespace: 'n8n', release: 'n8n', role, instance },
  }));
  return JSON.stringify({
    global: { scrape_interval: '1s' },
    scrape_configs: [{ job_name: 'n8n', static_configs: targets }],
  });
}

async function startPrometheus(metrics) {
  const port = await freePort();
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yaml'), configuration(metrics));
  const child = spawn(
    join(cache, 'bin/prometheus'),
    [
      `--config.file=${folder}/prometheus.yaml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-remote-write-receiver',
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    const isReady = await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return { url, child };
    if (tries > 300 || child.exitCode !== null) throw new Error('Prometheus did not start');
    await sleep(100);
  }
}

let prometheus;
try {
  const env = [...VARIABLES, `NODE_OPTIONS=--require=${limits}`];
  const up = JSON.parse(
    await tuned(
      ...['up', '--name', name, '--json', '--workload', WORKLOAD, '--memory', '1536Mi'],
      ...'--mode queue --workers 2 --webhooks 1'.split(' '),
      ...env.flatMap((variable) => ['--env', variable]),
    ),
  );
  prometheus = await startPrometheus(up.metrics);
  const { url } = prometheus;
  const record = JSON.parse(
    await tuned(
      ...['run', '--target', 'url', '--url', up.baseUrl, '--workload', WORKLOAD, '--json'],
      ...['--out', folder, '--prometheus-remote-write', `${url}/api/v1/write`, ...LOAD],
    ),
  );
  await tuned('report', record.folder, '--prometheus', url);
  const panels = JSON.parse(readFileSync(join(record.folder, 'prometheus.json'), 'utf8'));
  const [build] = (await (await fetch(`${url}/api/v1/query?query=prometheus_build_info`)).json())
    .data.result;
  const { workload, profile, versions, machine, startedAt, verdict } = record;
  const kept = {
    ...{ startedAt, loadAverage: loadavg()[1], sentence: verdict.sentence },
    ...{ workload: workload.name, profile, machine, topology: up.topology },
    versions: { ...versions, n8n: up.versions.n8n, prometheus: build?.metric.version },
    ...panels,
  };
  kept.topology.env = Object.fromEntries(
    Object.entries(kept.topology.env).filter(([variable]) => variable !== 'NODE_OPTIONS'),
  );
  const short = (key, value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value);
  writeFileSync(
    join(root, 'docs/records/dashboards.json'),
    `${JSON.stringify(kept, short).replaceAll('{"board"', '\n{"board"')}\n`,
  );
  console.log(`${panels.panels.length} panels: ${verdict.sentence}`);
} finally {
  const ended = prometheus === undefined ? null : once(prometheus.child, 'exit');
  prometheus?.child.kill('SIGTERM');
  await tuned('down', name).catch(() => undefined);
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
