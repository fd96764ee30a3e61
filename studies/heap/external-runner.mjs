// An external task runner as a process: the real @n8n/task-runner under the stand-in for n8n's launcher.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../in-parts.mjs';
import { kit } from '../one-role.mjs';

const TOKEN = 'throwaway';
const LAUNCHER = join(root, 'lab/images/task-runner-launcher.cjs');
const IMAGE_CONFIG = join(root, 'lab/images/task-runners.json');

/** Of n8n, so that it waits for such a runner. */
export const N8N_ENV = { N8N_RUNNERS_MODE: 'external', N8N_RUNNERS_AUTH_TOKEN: TOKEN };

/** `tools` and `seat`: of the n8n that it serves; `place`: where it works. */
export async function externalRunner({ tools, seat, place }, { memoryMiB, heapMiB, payloadMiB }) {
  // bin/n8n lies in the package n8n.
  const modules = dirname(dirname(dirname(tools.n8n)));
  const [ofImage] = JSON.parse(readFileSync(IMAGE_CONFIG, 'utf8'))['task-runners'];
  const config = {
    ...ofImage,
    ...{ workdir: place.folder, command: tools.node },
    args: [...ofImage.args.slice(0, -1), join(modules, '@n8n/task-runner/dist/start.js')],
    'health-check-server-port': String(await kit.freePort()),
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
      N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT: String(await kit.freePort()),
    },
  };
}
