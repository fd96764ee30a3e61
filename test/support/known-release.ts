// A release of Helm's whose latency is known: a server that the command takes for n8n, with nothing of n8n in it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinned, readVersions } from '../../cli/src/lab/paths';
import { type Namespace } from './cluster';
import { helm } from './release';

/** `oneAtATime`: capacity is 1000 / serviceMs. `inTurn`: every request waits so long, whatever the others do. */
export type KnownBehaviour = { oneAtATime: { serviceMs: number } } | { inTurn: readonly number[] };

const SERVER = `
const behaviour = JSON.parse(process.env.BEHAVIOUR);
let count = 0;
let freeAtMs = 0;
const delayMs = () => {
  if (behaviour.inTurn) return behaviour.inTurn[count++ % behaviour.inTurn.length];
  const now = performance.now();
  freeAtMs = Math.max(now, freeAtMs) + behaviour.oneAtATime.serviceMs;
  return freeAtMs - now;
};
const server = require('node:http').createServer((request, response) => {
  request.resume();
  if (request.url !== '/known') return void response.writeHead(request.url === '/up' ? 200 : 404).end();
  setTimeout(() => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  }, delayMs());
});
server.keepAliveTimeout = 60_000;
server.listen(5678);
process.on('SIGTERM', () => process.exit(0));
`;

/** Installs it as the release `known`; loaded by --existing --release known --request 'GET /known'. */
export async function installKnown(
  space: Namespace,
  folder: string,
  behaviour: KnownBehaviour,
): Promise<void> {
  const chart = join(folder, 'known');
  mkdirSync(join(chart, 'templates'), { recursive: true });
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: known\nversion: 1.0.0\n');
  const labels = { 'app.kubernetes.io/name': 'n8n', 'app.kubernetes.io/instance': 'known' };
  const container = {
    name: 'server',
    image: `n8nio/n8n:${pinned(readVersions(), 'N8N_VERSION')}`,
    command: ['node', '-e', SERVER],
    env: [
      { name: 'BEHAVIOUR', value: JSON.stringify(behaviour) },
      // So that nobody looks for SQLite in it.
      { name: 'DB_TYPE', value: 'none' },
    ],
    readinessProbe: { httpGet: { path: '/up', port: 5678 }, periodSeconds: 1 },
    resources: { requests: { cpu: '50m', memory: '64Mi' } },
  };
  const objects = [
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'known', labels } },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { terminationGracePeriodSeconds: 1, containers: [container] },
        },
      },
    },
    {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'known', labels } },
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 5678 }] },
    },
  ];
  objects.forEach((object, index) => {
    writeFileSync(
      join(chart, 'templates', `${String(index)}.yaml`),
      // Nothing in it is a template.
      `{{ ${JSON.stringify(JSON.stringify(object))} }}\n`,
    );
  });
  await helm(['install', 'known', chart, '-n', space.name, '--wait', '--timeout', '5m']);
}

export const onKnown = (space: Namespace): string[] => [
  ...['--target', 'kubernetes', '--existing', '--namespace', space.name, '--release', 'known'],
  ...['--request', 'GET /known', '--expect', 'json.ok==true', '--ready', '300s'],
];
