// A chart on the cluster: installed into a namespace of its own with workloads in it, asked for what its pods use,
// and put under load. Reached from inside, by `lab/cluster/cluster exec`.
import { execFileSync } from 'node:child_process';
import http from 'node:http';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

export const WORKLOAD = 'last-node';
export const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = path('../..');
const READY_MS = 600_000;
const ROUTES_WITHIN_MS = 60_000;

const run = (command, args, options = {}) =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options });

/**
 * Our chart, or the one of a folder, with values/<name>-<mode>.yaml or the given file and settings of helm; `service`
 * takes webhooks.
 */
export function contender({ name, mode, chart, values, set = [], service = 'n8n', port = 80 }) {
  const source = chart === undefined ? join(root, 'charts/n8n-tuned') : withoutDependencies(chart);
  const space = `study-${mode}-${name}`;
  return {
    ...{ name, mode, space, chart: source, set },
    values: values ?? path(`values/${name}-${mode}.yaml`),
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

/** Gives the ids of the workflows, by the name of their workload; those of `inactive` are not activated. */
export async function install(contender, { active = [WORKLOAD], inactive = [] } = {}) {
  const { space, chart, values, set, mode, kubectl } = contender;
  run('kubectl', ['create', 'namespace', space]);
  if (mode === 'queue') {
    kubectl('apply', '-f', path('stores.yaml'));
    kubectl('rollout', 'status', 'deployment/postgres', '--timeout=5m');
    kubectl('rollout', 'status', 'deployment/redis', '--timeout=5m');
  }
  run('helm3', [
    ...['install', 'n8n', chart, '-n', space, '--set', 'fullnameOverride=n8n'],
    ...['--values', values, ...set.flatMap((setting) => ['--set', setting])],
    ...['--wait', '--timeout', '15m'],
  ]);
  contender.apiKey = await newApiKey(contender);
  const ids = {};
  for (const workload of [...active, ...inactive]) ids[workload] = await putIn(contender, workload);
  for (const workload of active) await api(contender, `/workflows/${ids[workload]}/activate`);
  return ids;
}

export function uninstall(contenders) {
  run('kubectl', [
    ...['delete', 'namespace', '--ignore-not-found'],
    ...contenders.map(({ space }) => space),
  ]);
}

/** n8n is ready before it has the routes of its editor: until then, it answers them with 404. */
async function onceRouted(ask) {
  const giveUpMs = performance.now() + ROUTES_WITHIN_MS;
  for (;;) {
    const reply = await ask();
    if (reply.status !== 404 || performance.now() > giveUpMs) return reply;
    await sleep(200);
  }
}

/** The owner of a fresh n8n and their API key, so that the workload is put in through the API. */
async function newApiKey({ url }) {
  const post = async (route, body, cookie = '') => {
    const reply = await onceRouted(() =>
      fetch(`${url}/rest${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify(body),
      }),
    );
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

/** POST to n8n's public API. */
export async function api({ name, url, apiKey }, route, body) {
  const reply = await fetch(`${url}/api/v1${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-n8n-api-key': apiKey },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${name}${route}: ${await reply.text()}`);
  return reply.json();
}

async function putIn(contender, workload) {
  const workflow = JSON.parse(readFileSync(join(root, 'workflows', `${workload}.json`), 'utf8'));
  const { name, nodes, connections, settings = {} } = workflow;
  const { id } = await api(contender, '/workflows', { name, nodes, connections, settings });
  return id;
}

/** Pods that run n8n, whatever a chart calls them: those of its release. */
const podsOf = ({ kubectl }) =>
  kubectl('get', 'pods', '-l', 'app.kubernetes.io/instance=n8n', '-o', 'name')
    .split('\n')
    .filter((name) => name !== '');

/** Of all containers of n8n that run now, as `[pod, container]`; a native sidecar is an init container that runs. */
function containersOf({ kubectl }) {
  const { items } = JSON.parse(
    kubectl('get', 'pods', '-l', 'app.kubernetes.io/instance=n8n', '-o', 'json'),
  );
  return items.flatMap(({ metadata, status }) =>
    [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].map(
      (container) => ({ pod: metadata.name, ...container }),
    ),
  );
}

/** Of all containers of n8n together. */
export function usage(contender) {
  const running = containersOf(contender).filter(({ state }) => state.running !== undefined);
  const read = ({ pod, name }, file) =>
    contender.kubectl('exec', pod, '-c', name, '--', 'cat', `/sys/fs/cgroup/${file}`);
  const sum = (figure) =>
    running.reduce((total, container) => total + Number(figure(container)), 0);
  const rss = (container) => /^total_rss (\d+)$/m.exec(read(container, 'memory/memory.stat'))[1];
  return {
    cpuSeconds: sum((container) => read(container, 'cpuacct/cpuacct.usage')) / 1e9,
    memoryMiB: sum(rss) / 2 ** 20,
    restarts: restarts(contender),
  };
}

export const restarts = (contender) =>
  containersOf(contender).reduce((total, { restartCount }) => total + restartCount, 0);

/** Containers that the kernel ended for want of memory, by name, in the end that Kubernetes remembers of each. */
export const outOfMemory = (contender) =>
  containersOf(contender)
    .filter(({ lastState }) => lastState.terminated?.reason === 'OOMKilled')
    .map(({ name }) => name);

/** Also of a run that is not valid or breaks an SLO, which its exit code tells and its figures show. */
function outputOf(command, args, options) {
  try {
    return run(command, args, options);
  } catch (error) {
    if (!error.stdout) throw error;
    return error.stdout;
  }
}

/**
 * Clients that each wait for their answer; what they got, and what it cost the pods of n8n, which is left out where pods are
 * expected to die: a container that was started again has counted nothing.
 */
export function load(
  contender,
  { clients, seconds, workload = WORKLOAD, parameters = [], costs = true },
) {
  const before = costs ? usage(contender) : null;
  const text = outputOf(
    process.execPath,
    [
      ...['cli/dist/cli.js', 'run', '--target', 'url', '--url', contender.url],
      ...['--workload', workload, ...parameters.flatMap((given) => ['--param', given])],
      ...['--profile', 'closed', '--vus', String(clients)],
      ...['--warmup', '0s', '--duration', `${seconds}s`, '--timeout', '60s', '--json'],
      ...['--out', `results/charts/${contender.mode}/${contender.name}`],
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const { summary } = JSON.parse(text);
  const after = costs ? usage(contender) : null;
  const requests = summary.offered.requests;
  const cost =
    before === null || after === null
      ? {}
      : {
          cpuMillisecondsPerRequest: (1000 * (after.cpuSeconds - before.cpuSeconds)) / requests,
          memoryMiB: after.memoryMiB,
          restarts: after.restarts,
        };
  return {
    requests,
    // What was under way at the end is answered after it, and belongs to no rate.
    rightInTime: summary.achieved.requests,
    wrong: summary.errors.requests,
    errors: summary.errors.byKind,
    unanswered: summary.unanswered.requests,
    ratePerSecond: summary.achieved.ratePerSecond,
    p50Ms: summary.latencyMs?.p50 ?? null,
    p95Ms: summary.latencyMs?.p95 ?? null,
    maxMs: summary.latencyMs?.max ?? null,
    ...cost,
  };
}

/** From the deletion of every pod of n8n to the first expected response of another pod. */
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
  throw new Error(`${contender.name}: no expected response after its pods were deleted`);
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
