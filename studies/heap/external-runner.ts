// An external task runner as a process: the real @n8n/task-runner under the stand-in for n8n's launcher.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../../cli/src/targets/process/ports';
import type { ProcessSpec } from '../../cli/src/targets/process/supervisor';
import { n8nIn } from '../../cli/src/targets/process/tools';
import type { Bench } from '../one-role';

const TOKEN = 'throwaway';
const LAUNCHER = join(import.meta.dirname, '../../lab/images/task-runner-launcher.cjs');
const IMAGE_CONFIG = join(import.meta.dirname, '../../lab/images/task-runners.json');

/** Of n8n, so that it waits for such a runner. */
export const N8N_ENV = { N8N_RUNNERS_MODE: 'external', N8N_RUNNERS_AUTH_TOKEN: TOKEN };

interface Sizes {
  memoryMiB: number;
  heapMiB: number;
  payloadMiB: number;
}

interface ImageConfig {
  'task-runners': { args: string[]; 'env-overrides': object }[];
}

/** For the n8n of a bench. */
export async function externalRunner(
  bench: Bench,
  { memoryMiB, heapMiB, payloadMiB }: Sizes,
): Promise<ProcessSpec> {
  const { tools, seat } = bench;
  const place = bench.place('runner');
  // bin/n8n lies in the package n8n.
  const modules = dirname(dirname(dirname(n8nIn(tools))));
  const image = JSON.parse(readFileSync(IMAGE_CONFIG, 'utf8')) as ImageConfig;
  const [ofImage] = image['task-runners'];
  if (ofImage === undefined) throw new Error(`${IMAGE_CONFIG} has no task runner`);
  const config = {
    ...ofImage,
    ...{ workdir: place.folder, command: tools.node },
    args: [...ofImage.args.slice(0, -1), join(modules, '@n8n/task-runner/dist/start.js')],
    'health-check-server-port': String(await freePort()),
    'env-overrides': {
      ...ofImage['env-overrides'],
      N8N_RUNNERS_HEALTH_CHECK_SERVER_HOST: '127.0.0.1',
      N8N_RUNNERS_MAX_PAYLOAD: String(payloadMiB * 1024 * 1024),
      NODE_OPTIONS: `--max-old-space-size=${heapMiB}`,
    },
  };
  const file = join(place.folder, 'config.json');
  writeFileSync(file, JSON.stringify({ 'task-runners': [config] }));
  return {
    ...place,
    ...{ role: 'runner', instance: 'runner', kind: 'service', stopSignal: 'TERM' },
    command: [tools.node, LAUNCHER, 'javascript'],
    limits: { memoryMiB },
    env: {
      ...{ HOME: place.folder, NODE_PATH: modules },
      N8N_RUNNERS_CONFIG_PATH: file,
      N8N_RUNNERS_AUTH_TOKEN: TOKEN,
      N8N_RUNNERS_TASK_BROKER_URI: `http://127.0.0.1:${seat.brokerPort}`,
      N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT: String(await freePort()),
    },
  };
}
