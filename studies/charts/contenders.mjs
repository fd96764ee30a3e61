// A chart on the cluster: installed into a namespace of its own with the workload in it, asked for what its pods use,
// and put under load. Reached from inside, by `lab/cluster/cluster exec`.
import { execFileSync } from 'node:child_process';
import http from 'node:http';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

export const WORKLOAD = 'last-node';
export const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = path('../..');
const READY_MS = 600_000;

const run = (command, args, options = {}) =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options });

/** Our chart, or the one of a folder, with values/<name>-<mode>.yaml; `service` takes webhooks. */
export function contender({ name, mode, chart, service = 'n8n', port = 80 }) {
  const source = chart === undefined ? join(root, 'charts/n8n-tuned') : withoutDependencies(chart);
  const space = `study-${mode}-${name}`;
  return {
    ...{ name, mode, space, chart: source },
    version: parse(readFileSync(join(source, 'Chart.yaml'), 'utf8')).version,
    url: `http://${service}.${space}.svc.cluster.local:${port}`,
    kubectl: (...args) => run('kubectl', ['-n', space, ...args]).trim(),
  };
}

/** Their optional stores are charts of a third party that cannot be reached from everywhere. */
function withoutDependencies(chart) {
  const copy = join(mkdtempSync(join(tmpdir(), 'chart-')), 'n8n');
  cpSync(chart, copy, { recursive: true });
  rmSync(join(copy, 'Chart.lock'), { force: true });
  const metadata = parse(readFileSync(join(copy, 'Chart.yaml'), 'utf8'));
  delete metadata.dependencies;
  writeFileSync(join(copy, 'Chart.yaml'), stringify(metadata));
  return copy;
}

export async function install(contender) {
  const { space, chart, name, mode, kubectl } = contender;
  run('kubectl', ['create', 'namespace', space]);
  if (mode === 'queue') {
    kubectl('apply', '-f', path('stores.yaml'));
    kubectl('rollout', 'status', 'deployment/postgres', '--timeout=5m');
    kubectl('rollout', 'status', 'deployment/redis', '--timeout=5m');
  }
  run('helm3', [
    ...['install', 'n8n', chart, '-n', space, '--set', 'fullnameOverride=n8n'],
    ...['--values', path(`values/${name}-${mode}.yaml`), '--wait', '--timeout', '15m'],
  ]);
  await putIn(contender);
}

export function uninstall(contenders) {
  run('kubectl', [
    ...['delete', 'namespace', '--ignore-not-found'],
    ...contenders.map(({ space }) => space),
  ]);
}

/** The owner of a fresh n8n and a key of his, so that the workload is put in through the API. */
async function newApiKey({ url }) {
  const post = async (route, body, cookie = '') => {
    const reply = await fetch(`${url}/rest${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${url}${route}: ${reply.status} ${await reply.text()}`);
    return reply;
  };
  const person = { email: 'owner@example.com', firstName: 'Owner', lastName: 'Example' };
  const owner = await post('/owner/setup', { ...person, password: 'Load-test-1' });
  const cookie = owner.headers.getSetCookie().map((line) => line.split(';')[0]);
  const scopes = ['create', 'list', 'read', 'delete', 'activate', 'deactivate'];
  const key = await post(
    '/api-keys',
    { label: 'study', expiresAt: null, scopes: scopes.map((s) => `workflow:${s}`) },
    cookie.join('; '),
  );
  return (await key.json()).data.rawApiKey;
}

async function putIn(contender) {
  const workflow = JSON.parse(readFileSync(join(root, 'workflows', `${WORKLOAD}.json`), 'utf8'));
  const { name, nodes, connections, settings = {} } = workflow;
  const key = await newApiKey(contender);
  const headers = { 'content-type': 'application/json', 'x-n8n-api-key': key };
  const post = async (route, body) => {
    const reply = await fetch(`${contender.url}/api/v1${route}`, {
      method: 'POST',
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${contender.name}${route}: ${await reply.text()}`);
    return reply.json();
  };
  const { id } = await post('/workflows', { name, nodes, connections, settings });
  await post(`/workflows/${id}/activate`);
}

/** Pods that run n8n, whatever a chart calls them: those of its release. */
const podsOf = ({ kubectl }) =>
  kubectl('get', 'pods', '-l', 'app.kubernetes.io/instance=n8n', '-o', 'name')
    .split('\n')
    .filter((name) => name !== '');

/** Of all pods of n8n together. */
function usage(contender) {
  const read = (pod, file) => contender.kubectl('exec', pod, '--', 'cat', `/sys/fs/cgroup/${file}`);
  const pods = podsOf(contender);
  const sum = (figure) => pods.reduce((total, pod) => total + Number(figure(pod)), 0);
  const rss = (pod) => /^total_rss (\d+)$/m.exec(read(pod, 'memory/memory.stat'))[1];
  const restarts = contender.kubectl(
    ...['get', 'pods', '-l', 'app.kubernetes.io/instance=n8n'],
    ...['-o', 'jsonpath={.items[*].status.containerStatuses[*].restartCount}'],
  );
  return {
    cpuSeconds: sum((pod) => read(pod, 'cpuacct/cpuacct.usage')) / 1e9,
    memoryMiB: sum(rss) / 2 ** 20,
    restarts: restarts.split(' ').reduce((total, count) => total + Number(count), 0),
  };
}

/** Clients that each wait for their answer; what they got, and what it cost the pods of n8n. */
export function load(contender, { clients, seconds }) {
  const before = usage(contender);
  const text = run(
    process.execPath,
    [
      ...['capacity/dist/cli.js', 'run', '--target', 'url', '--url', contender.url],
      ...['--workload', WORKLOAD, '--profile', 'closed', '--vus', String(clients)],
      ...['--warmup', '0s', '--duration', `${seconds}s`, '--timeout', '60s', '--json'],
      ...['--out', `results/charts/${contender.mode}/${contender.name}`],
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const { summary } = JSON.parse(text);
  const after = usage(contender);
  const requests = summary.offered.requests;
  return {
    requests,
    // What was under way at the end is answered after it, and belongs to no rate.
    rightInTime: summary.achieved.requests,
    wrong: summary.errors.requests,
    unanswered: summary.unanswered.requests,
    ratePerSecond: summary.achieved.ratePerSecond,
    p50Ms: summary.latencyMs?.p50 ?? null,
    p95Ms: summary.latencyMs?.p95 ?? null,
    maxMs: summary.latencyMs?.max ?? null,
    cpuMillisecondsPerRequest: (1000 * (after.cpuSeconds - before.cpuSeconds)) / requests,
    memoryMiB: after.memoryMiB,
    restarts: after.restarts,
  };
}

/** From the deletion of every pod of n8n to the first right reply of another pod. */
export async function secondsToFirstReply(contender) {
  const begun = Date.now();
  const before = podsOf(contender);
  contender.kubectl('delete', '--wait=false', ...before);
  const isGone = () => !podsOf(contender).some((pod) => before.includes(pod));
  let wasDown = false;
  while (Date.now() - begun < READY_MS) {
    const status = await statusOf(`${contender.url}/webhook/load-${WORKLOAD}`);
    if (status !== 200) wasDown = true;
    // An old pod may outlast the start of the new one, and then nobody sees a gap.
    else if (wasDown || isGone()) return (Date.now() - begun) / 1000;
    await sleep(100);
  }
  throw new Error(`${contender.name}: no right reply after its pods were deleted`);
}

/** Over a connection of its own: a kept one leads to the old pod. */
const statusOf = (url) =>
  new Promise((resolve) => {
    const request = http.get(url, { agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(0));
  });
