/** Task runners in containers of their own, beside main and each worker, as n8n's image n8nio/runners has them. Pure. */
import { z } from 'zod';
import type { ComposeRunners } from '../../plan/compose';
import { runnerEnvironment, supports } from '../../plan/environment';
import { nameBeside } from '../process/layout';
import type { Companion } from '../process/process-running';
import type { ProcessSpec } from '../process/supervisor';
import type { Workspace } from '../process/workspace';

/** What the launcher in the image reads: https://github.com/n8n-io/task-runner-launcher, docs/setup.md. */
export const runnersConfigSchema = z.looseObject({
  'task-runners': z
    .array(
      z.looseObject({
        'runner-type': z.string(),
        args: z.array(z.string()),
        'allowed-env': z.array(z.string()).optional(),
        'env-overrides': z.record(z.string(), z.string()).optional(),
      }),
    )
    .min(1),
});
export type RunnersConfig = z.infer<typeof runnersConfigSchema>;

export interface RunnersOrder {
  /** Version of n8n. */
  n8n: string;
  /** The image's own configuration. */
  config: RunnersConfig;
  given: ComposeRunners;
  token: string;
  brokerPort: number;
  ports: RunnerPorts;
}

/** On which the launcher, and each of its runners, says that it is well. */
export interface RunnerPorts {
  launcher: number;
  runners: readonly number[];
}

/** n8n, told to wait for task runners, and those. */
export function withRunners(
  spec: ProcessSpec,
  workspace: Workspace,
  order: RunnersOrder,
): Companion {
  const instance = nameBeside(spec.instance);
  const place = workspace.place(instance);
  const limits = Object.keys(order.given.limits).length > 0 ? order.given.limits : spec.limits;
  const env = { ...runnerEnvironment(order.n8n, spec.env, limits.memoryMiB), ...order.given.env };
  const config = runnersConfig(order, place.folder, Object.keys(env));
  const file = workspace.writeConfig(`${instance}.json`, JSON.stringify(config));
  return {
    n8n: { ...spec, env: { ...spec.env, ...brokerEnv(order) } },
    beside: {
      ...{ role: 'runner', instance, command: ['task-runner-launcher'], ...place, limits },
      env: { ...env, ...launcherEnv(order), HOME: place.folder, N8N_RUNNERS_CONFIG_PATH: file },
      ...{ stopSignal: 'TERM', kind: 'service' },
    },
  };
}

const brokerEnv = ({ n8n, token }: RunnersOrder): Record<string, string> => ({
  ...(supports(n8n, 'taskRunnersAlways') ? {} : { N8N_RUNNERS_ENABLED: 'true' }),
  ...{ N8N_RUNNERS_MODE: 'external', N8N_RUNNERS_AUTH_TOKEN: token },
  N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
});

const launcherEnv = ({ token, brokerPort, ports }: RunnersOrder): Record<string, string> => ({
  N8N_RUNNERS_AUTH_TOKEN: token,
  N8N_RUNNERS_TASK_BROKER_URI: `http://127.0.0.1:${String(brokerPort)}`,
  N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT: String(ports.launcher),
});

/** The launcher passes on only what its config names, and its ports are those of one container alone. */
function runnersConfig(
  { config, ports }: RunnersOrder,
  folder: string,
  names: readonly string[],
): RunnersConfig {
  const runners = config['task-runners'].map((runner, index) => ({
    ...runner,
    workdir: folder,
    'health-check-server-port': String(ports.runners[index]),
    'allowed-env': [...new Set([...(runner['allowed-env'] ?? []), ...names])],
    'env-overrides': {
      ...Object.fromEntries(
        Object.entries(runner['env-overrides'] ?? {}).filter(([name]) => !names.includes(name)),
      ),
      N8N_RUNNERS_HEALTH_CHECK_SERVER_HOST: '127.0.0.1',
    },
  }));
  return { ...config, 'task-runners': runners };
}
