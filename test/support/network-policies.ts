// NetworkPolicies of the cluster, enforced while a test wants it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { FRONT_DOOR, until, type Namespace } from './cluster';
import { pinned, readVersions } from '../../cli/src/lab/paths';

const PROGRAM = join(__dirname, '..', '..', 'lab', 'cluster', 'policies', 'enforce.ts');

/** Returns what ends it again. */
export async function enforcePolicies(): Promise<() => Promise<void>> {
  const child = spawn(FRONT_DOOR, ['exec', process.execPath, '--import', 'tsx', PROGRAM], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let why = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (why += chunk.toString()));
  await until('policies that are enforced', () => {
    if (child.exitCode !== null) throw new Error(why);
    return Promise.resolve(said.includes('are enforced'));
  });
  return async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    if (why !== '') throw new Error(why);
  };
}

const ASK = `
const net = require('node:net');
const open = ([host, port]) => new Promise((resolve) => {
  const socket = net.connect({ host, port, timeout: 3000 });
  const end = (state) => { socket.destroy(); resolve([host + ':' + port, state]); };
  socket.on('connect', () => end('open')).on('timeout', () => end('closed')).on('error', () => end('closed'));
});
Promise.all(JSON.parse(process.argv[1]).map(open)).then((all) => console.log(JSON.stringify(Object.fromEntries(all))));
`;

/** Which ports a pod with these labels can connect to: `open`, or `closed` after 3 s. */
export async function reachedFrom(
  space: Namespace,
  labels: Record<string, string>,
  ports: readonly (readonly [string, number])[],
): Promise<Record<string, 'open' | 'closed'>> {
  const name = 'asks';
  const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  await space.apply([
    {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels } },
      spec: {
        restartPolicy: 'Never',
        securityContext: {
          ...{ runAsNonRoot: true, runAsUser: 1000 },
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            ...{ name, image: `n8nio/n8n:${pinned(readVersions(), 'N8N_VERSION')}` },
            // Policies are enforced a moment after the pod has its address.
            command: ['sh', '-c', 'sleep 2; exec node -e "$0" "$1"', ASK, JSON.stringify(ports)],
            securityContext: restricted,
          },
        ],
      },
    },
  ]);
  await until(
    'its answer',
    async () =>
      (await space.kubectl('get', 'pod', name, '-o', 'jsonpath={.status.phase}')) === 'Succeeded',
  );
  const said = await space.kubectl('logs', name);
  await space.kubectl('delete', 'pod', name, '--now');
  return JSON.parse(said) as Record<string, 'open' | 'closed'>;
}
