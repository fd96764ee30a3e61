/** From what the chart renders to the topology that it deploys, so that exactly this can be loaded here. Pure. */
import { z } from 'zod';
import { ownPruning } from '../../plan/kept-executions';
import { parseCpu } from '../../plan/quantities';
import { ROLES, type Role } from '../../plan/roles';
import { databaseOf, topologySchema, type Topology } from '../../plan/topology';
import { n8nEnv, type ProcessSeat } from '../process/env';
import { isOfPlace } from './place-variables';
import { mebibytes, type Deployed } from './values-topology';

const quantity = z.union([z.string(), z.number()]);
const container = z.looseObject({
  args: z.array(z.string()).default([]),
  env: z
    .array(z.looseObject({ name: z.string(), value: z.coerce.string().optional() }))
    .default([]),
  resources: z
    .looseObject({
      limits: z.looseObject({ cpu: quantity.optional(), memory: quantity.optional() }).nullish(),
    })
    .prefault({}),
});

/** Of a manifest what is read here; everything else in it is of no matter. */
const deployment = z.looseObject({
  kind: z.literal('Deployment'),
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.looseObject({
    replicas: z.number().optional(),
    template: z.looseObject({ spec: z.looseObject({ containers: z.array(container) }) }),
  }),
});

type Container = z.infer<typeof container>;

interface Pod {
  /** Null where an autoscaler owns it. */
  replicas: number | null;
  n8n: Container;
  /** Variables with a value of their own, not from a Secret. */
  env: Record<string, string>;
}

const COMPONENT = 'app.kubernetes.io/component';
/** Variables that the chart computes from the values, and that decide how fast n8n is, or how long it keeps what it did. */
const DECISIVE =
  /^(EXECUTIONS_DATA_(SAVE_|PRUNE$|HARD_DELETE_BUFFER$)|N8N_(EXPRESSION_ENGINE_|EXECUTIONS_QUEUE_|CONCURRENCY_|RUNNERS_MAX_|LOG_LEVEL$|DISABLE_UI$)|OFFLOAD_|DB_\w+_POOL_SIZE$|UV_THREADPOOL_SIZE$)/;

/**
 * `read` is what the values say by themselves: the name of the profile, the version of n8n, and how many of
 * what an autoscaler scales. All else is taken from the manifests. `named` are the variables that the user set.
 */
export function renderedTopology(
  manifests: readonly unknown[],
  read: Topology,
  named: ReadonlySet<string>,
): Deployed {
  const pods = podsOf(manifests);
  const { main } = pods;
  if (main === undefined) throw new Error('the chart renders no main');
  const mode = main.env['EXECUTIONS_MODE'] === 'queue' ? 'queue' : 'regular';
  const bare = topologySchema.parse({
    n8n: read.n8n,
    mode,
    process: main.env['EXECUTIONS_PROCESS'] ?? read.process,
    database: main.env['DB_TYPE'] === 'postgresdb' ? 'postgresql' : 'sqlite',
    tuning: read.tuning,
    main: limitsIn(main),
    workers: {
      ...limitsIn(pods.worker),
      count: mode === 'queue' ? (pods.worker?.replicas ?? read.workers.count) : 1,
      concurrency: concurrencyOf(pods.worker) ?? read.workers.concurrency,
    },
    webhooks: {
      ...limitsIn(pods.webhook),
      count: pods.webhook === undefined ? 0 : (pods.webhook.replicas ?? read.webhooks.count),
    },
  });
  const differences = ROLES.flatMap((role) => {
    const pod = pods[role];
    return pod === undefined ? [] : [differenceOf(bare, role, pod, named)];
  });
  const envOf = (wanted: Role): Record<string, string> =>
    differences.find(({ role }) => role === wanted)?.env ?? {};
  return {
    topology: {
      ...bare,
      main: { ...bare.main, env: envOf('main') },
      workers: { ...bare.workers, env: envOf('worker') },
      webhooks: { ...bare.webhooks, env: envOf('webhook') },
    },
    leftOut: [...new Set(differences.flatMap(({ leftOut }) => leftOut))],
  };
}

/** Of each role the deployment without a name of its own: pools of workers have one. */
function podsOf(manifests: readonly unknown[]): Partial<Record<Role, Pod>> {
  const found: Partial<Record<Role, Pod & { name: string }>> = {};
  for (const manifest of manifests) {
    const { success, data } = deployment.safeParse(manifest);
    if (!success) continue;
    const { metadata, spec } = data;
    const role = ROLES.find((one) => one === metadata.labels[COMPONENT]);
    const n8n = spec.template.spec.containers.find(({ env }) =>
      env.some(({ name }) => name === 'EXECUTIONS_MODE'),
    );
    if (role === undefined || n8n === undefined) continue;
    const known = found[role];
    if (known !== undefined && known.name.length <= metadata.name.length) continue;
    found[role] = {
      ...{ name: metadata.name, replicas: spec.replicas ?? null, n8n },
      env: Object.fromEntries(
        n8n.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
      ),
    };
  }
  return found;
}

function limitsIn(pod: Pod | undefined): object {
  if (pod === undefined) return {};
  const { cpu, memory } = pod.n8n.resources.limits ?? {};
  const heap = lastOption(pod.env, 'max-old-space-size');
  return {
    ...(cpu === undefined ? {} : { cpuMillicores: parseCpu(String(cpu)) }),
    ...(memory === undefined ? {} : { memoryMiB: mebibytes(memory) }),
    heapMiB: heap ?? 'none',
  };
}

function concurrencyOf(pod: Pod | undefined): number | null {
  const said = /--concurrency=(\d+)/.exec((pod?.n8n.args ?? []).join(' '))?.[1];
  return said === undefined ? null : Number(said);
}

/** V8 takes the last one. */
function lastOption(env: Pod['env'], name: string): number | null {
  const all = [...(env['NODE_OPTIONS'] ?? '').matchAll(new RegExp(`--${name}=(\\d+)`, 'g'))];
  const last = all.at(-1)?.[1];
  return last === undefined ? null : Number(last);
}

interface Difference {
  role: Role;
  env: Record<string, string>;
  leftOut: string[];
}

/** What the pod is told and the same topology, laid out here, would not be. */
function differenceOf(
  topology: Topology,
  role: Role,
  pod: Pod,
  named: ReadonlySet<string>,
): Difference {
  const here = n8nEnv(topology, seatOf(topology, role));
  const usual = { ...ownPruning(topology.n8n), ...here };
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(pod.env)) {
    if (name === 'NODE_OPTIONS' || isOfPlace(name)) continue;
    if ((DECISIVE.test(name) || named.has(name)) && usual[name] !== value) env[name] = value;
  }
  const missing = Object.keys(here).filter(
    (name) => DECISIVE.test(name) && pod.env[name] === undefined,
  );
  const [there, ours] = [optionsOf(pod.env), optionsOf(here)];
  const more = there.options.filter((option) => !ours.options.includes(option));
  if (more.length > 0) env['NODE_OPTIONS'] = more.join(' ');
  const patches = new Set([
    ...there.patches.filter((file) => !ours.patches.includes(file)),
    ...ours.patches.filter((file) => !there.patches.includes(file)),
  ]);
  return {
    role,
    env,
    leftOut: [
      ...missing.map((name) => `${name} of ${role}: it was loaded with ${here[name] ?? ''}`),
      ...[...patches].map(
        (file) => `the patch ${file} of ${role}: the profile's choice was loaded`,
      ),
    ],
  };
}

/** Where the chart mounts its patches. */
const PRELOAD = /^--require="?\/etc\/n8n-tuned\/preload\/([\w-]+\.cjs)"?$/;
/** When connections end, or do not: nothing replaces a process here, and no network is between it and its callers or stores. */
const OF_PODS = new Set(['last-answers.cjs', 'keep-alive.cjs', 'worker-guard.cjs']);

function optionsOf(env: Record<string, string>): { options: string[]; patches: string[] } {
  const options: string[] = [];
  const patches: string[] = [];
  for (const option of (env['NODE_OPTIONS'] ?? '').split(/\s+/).filter(Boolean)) {
    const patch = PRELOAD.exec(option)?.[1];
    if (patch === undefined) options.push(option);
    else if (!OF_PODS.has(patch)) patches.push(patch);
  }
  return { options, patches };
}

/** Any place: where it lies is left out on both sides. */
function seatOf(topology: Topology, role: Role): ProcessSeat {
  return {
    ...{ role, folder: '/n8n', port: 1, brokerPort: 2, webhookUrl: 'http://localhost' },
    database:
      databaseOf(topology) === 'postgresql' ? { kind: 'postgresql', port: 3 } : { kind: 'sqlite' },
    redisPort: topology.mode === 'queue' ? 4 : null,
    ...{ filesFolder: '/files', patchFolder: '/etc/n8n-tuned/preload' },
  };
}
