// This chart against the official and the community chart, on one cluster, in turns, with equal resources
// and stores. The other charts come from their public repositories:
//
//   git clone https://github.com/n8n-io/n8n-hosting /tmp/official
//   git clone https://github.com/community-charts/helm-charts /tmp/community
//   make build cluster-up
//   lab/cluster/cluster exec node studies/charts/measure.mjs regular \
//     --official /tmp/official/charts/n8n --community /tmp/community/charts/n8n
//
// and the same with `queue`. Writes results/<mode>.json.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse, stringify } from 'yaml';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = path('../..');
const CLIENTS = 8;
const WORKLOAD = 'last-node';
const READY_MS = 600_000;

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    official: { type: 'string' },
    community: { type: 'string' },
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '15' },
  },
});
const [mode] = positionals;
if (!['regular', 'queue'].includes(mode) || !given.official || !given.community) {
  console.error('say regular or queue, and the charts: see the first lines of this file');
  process.exit(2);
}

const run = (command, args, options = {}) =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options });

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

const contenders = [
  { name: 'official', chart: withoutDependencies(given.official), service: 'n8n-main' },
  { name: 'community', chart: withoutDependencies(given.community), service: 'n8n' },
  { name: 'tuned', chart: join(root, 'charts/n8n-tuned'), service: 'n8n' },
].map((each) => {
  const space = `study-${mode}-${each.name}`;
  const port = 5678;
  return {
    ...each,
    space,
    version: parse(readFileSync(join(each.chart, 'Chart.yaml'), 'utf8')).version,
    url: `http://${each.service}.${space}.svc.cluster.local:${port}`,
    kubectl: (...args) => run('kubectl', ['-n', space, ...args]).trim(),
  };
});

/** Pods that run n8n, whatever a chart calls them: those of its release. */
const podsOf = ({ kubectl }) =>
  kubectl('get', 'pods', '-l', 'app.kubernetes.io/instance=n8n', '-o', 'name')
    .split('\n')
    .filter((name) => name !== '');

function install(contender) {
  const { space, chart, name, kubectl } = contender;
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
  const person = { email: 'owner@example.com', firstName: 'Ada', lastName: 'Example' };
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

/** Of all pods together: CPU used so far in seconds, and the most memory in MiB. */
function usage(contender) {
  const read = (pod, file) => Number(contender.kubectl('exec', pod, '--', 'cat', file));
  const pods = podsOf(contender);
  const sum = (file) => pods.reduce((total, pod) => total + read(pod, file), 0);
  return {
    cpuSeconds: sum('/sys/fs/cgroup/cpuacct/cpuacct.usage') / 1e9,
    memoryMiB: sum('/sys/fs/cgroup/memory/memory.max_usage_in_bytes') / 2 ** 20,
    restarts: contender
      .kubectl(
        ...['get', 'pods', '-o', 'jsonpath={.items[*].status.containerStatuses[*].restartCount}'],
      )
      .split(' ')
      .reduce((total, count) => total + Number(count), 0),
  };
}

function load(contender, seconds) {
  const before = usage(contender);
  const text = run(
    process.execPath,
    [
      ...['capacity/dist/cli.js', 'run', '--target', 'url', '--url', contender.url],
      ...['--workload', WORKLOAD, '--profile', 'closed', '--vus', String(CLIENTS)],
      ...['--warmup', '3s', '--duration', `${seconds}s`, '--timeout', '60s', '--json'],
      ...['--out', `results/charts/${mode}/${contender.name}`],
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const { summary } = JSON.parse(text);
  const after = usage(contender);
  // Warm-up included, in the requests as in the CPU.
  const requests = summary.executions?.rightReplies ?? summary.achieved.requests;
  return {
    ratePerSecond: summary.achieved.ratePerSecond,
    p50Ms: summary.latencyMs?.p50 ?? null,
    p95Ms: summary.latencyMs?.p95 ?? null,
    wrong: summary.errors.requests,
    unanswered: summary.unanswered.requests,
    cpuMillisecondsPerRequest: (1000 * (after.cpuSeconds - before.cpuSeconds)) / requests,
    memoryPeakMiB: after.memoryMiB,
    restarts: after.restarts,
  };
}

/** From the deletion of every pod to the first right reply. */
async function secondsToFirstReply(contender) {
  const begun = Date.now();
  contender.kubectl('delete', '--wait=false', ...podsOf(contender));
  let isDown = false;
  while (Date.now() - begun < READY_MS) {
    const status = await fetch(`${contender.url}/webhook/load-last-node`, {
      signal: AbortSignal.timeout(2_000),
    }).then(
      async (reply) => (await reply.text(), reply.status),
      () => 0,
    );
    if (status !== 200) isDown = true;
    else if (isDown) return (Date.now() - begun) / 1000;
    await sleep(100);
  }
  return null;
}

const rows = Object.fromEntries(contenders.map(({ name }) => [name, { runs: [] }]));
const loadAverageAtStart = loadavg()[0];
try {
  for (const contender of contenders) {
    console.log(`${contender.name}: install`);
    install(contender);
    await putIn(contender);
    load(contender, 5);
  }
  for (let round = 0; round < Number(given.rounds); round += 1) {
    // Forwards, then backwards, so that a steady drift of the machine cancels out.
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const figures = load(contender, Number(given.seconds));
      rows[contender.name].runs.push(figures);
      console.log(
        `${contender.name}: ${figures.ratePerSecond.toFixed(1)}/s, p95 ${figures.p95Ms} ms`,
      );
    }
  }
  for (const contender of contenders) {
    rows[contender.name].secondsToFirstReply = await secondsToFirstReply(contender);
    rows[contender.name].version = contender.version;
  }
  mkdirSync(path('results'), { recursive: true });
  writeFileSync(
    path(`results/${mode}.json`),
    `${JSON.stringify({ when: new Date().toISOString(), mode, workload: WORKLOAD, clients: CLIENTS, loadAverageAtStart, charts: rows }, null, 2)}\n`,
  );
} finally {
  for (const { space } of contenders) {
    run('kubectl', ['delete', 'namespace', space, '--wait=false', '--ignore-not-found']);
  }
}
