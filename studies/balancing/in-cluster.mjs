#!/usr/bin/env node
// kube-proxy before bare servers, and before n8n's webhook processors, in pods of the lab's cluster.
//   node studies/balancing/in-cluster.mjs --out results/study-balancing
// A cluster that does not run is started, and ended afterwards. Exit code 3: there is none.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const here = import.meta.dirname;
const root = join(here, '../..');
const frontDoor = join(root, 'lab/cluster/cluster');
const { out } = parseArgs({ options: { out: { type: 'string', default: 'results' } } }).values;

const NAMESPACE = `n8n-tuned-balancing-${process.pid}`;
/** A client that keeps its connection stays with one pod, so that each run is one draw. */
const BARE_RUNS = 3;

// Ctrl-C reaches what runs, too; then comes what takes down.
let isInterrupted = false;
process.on('SIGINT', () => (isInterrupted = true));

/** Its exit code, and what it wrote where that is asked for. */
function call(program, words, { asks = false, quietly = false } = {}) {
  return new Promise((resolve, reject) => {
    const stdout = asks ? 'pipe' : quietly ? 'ignore' : 'inherit';
    const child = spawn(program, words, { cwd: root, stdio: ['ignore', stdout, 'inherit'] });
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (more) => (text += more));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 3, text: text.trim() }));
  });
}

async function kubectl(...words) {
  const all = ['exec', 'kubectl', '--namespace', NAMESPACE, ...words];
  const { code, text } = await call(frontDoor, all, { asks: true });
  if (code !== 0) throw new Error(`kubectl ${words[0]} ended with exit code ${code}`);
  return text;
}

const codes = [];
async function run(folder, words) {
  if (isInterrupted) return;
  const cli = join(root, 'cli/dist/cli.js');
  const load = ['--profile', 'closed', '--ready', '5m'];
  const where = ['--out', join(out, folder)];
  const all = ['exec', process.execPath, cli, 'run', ...words, ...load, ...where];
  codes.push((await call(frontDoor, all)).code);
}

async function bareServers() {
  await kubectl('create', 'namespace', NAMESPACE);
  try {
    await kubectl('create', 'configmap', 'server', `--from-file=${join(here, 'server.cjs')}`);
    await kubectl('apply', '--filename', join(here, 'pods.yaml'));
    await kubectl('rollout', 'status', 'deployment/bare', '--timeout=2m');
    const address = await kubectl('get', 'service/bare', '-o', 'jsonpath={.spec.clusterIP}');
    const words = ['--url', `http://${address}`, '--workload', 'studies/balancing/bare.yaml'];
    const length = ['--vus', '100', '--warmup', '2s', '--duration', '8s'];
    for (let draw = 0; draw < BARE_RUNS; draw += 1)
      for (const connection of ['keep-alive', 'close'])
        await run('kube-proxy', [...words, '--param', `connection=${connection}`, ...length]);
  } finally {
    await kubectl('delete', 'namespace', NAMESPACE, '--wait=false');
  }
}

async function webhookProcessors() {
  const words = ['--target', 'kubernetes', '--workload', 'last-node'];
  const layout = ['--mode', 'queue', '--webhooks', '2'];
  const env = ['--env', 'N8N_METRICS_INCLUDE_WEBHOOK_METRICS=true'];
  const length = ['--vus', '16', '--warmup', '3s', '--duration', '15s'];
  for (const header of [[], ['--header', 'connection: close']])
    await run('kube-proxy-n8n', [...words, ...header, ...layout, ...env, ...length]);
}

const isRunning = (await call(frontDoor, ['status'], { quietly: true })).code === 0;
if (!isRunning && (await call(frontDoor, ['up'])).code !== 0) {
  console.error('kube-proxy is left out: there is no cluster, and lab/cluster/cluster up fails');
  process.exit(3);
}
try {
  await bareServers();
  await webhookProcessors();
} finally {
  if (!isRunning) await call(frontDoor, ['down']);
}
process.exitCode = isInterrupted ? 3 : Math.max(0, ...codes);
