import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createNamespace,
  request,
  serviceUrl,
  until,
  type Namespace,
  type Reply,
} from '../support/cluster';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../support/versions';

jest.setTimeout(300_000);

const WORKFLOWS = join(__dirname, '..', '..', 'workflows');

interface Version {
  version: string;
  workflow: string;
  /** Makes the imported workflow active before n8n starts. */
  activate: string;
  ready: string;
}

const VERSIONS: Version[] = [
  {
    version: N8N_VERSION,
    workflow: 'last-node.json',
    activate: 'n8n publish:workflow --id=load-last-node',
    ready: '/healthz/readiness',
  },
  {
    version: N8N_LEGACY_VERSION,
    workflow: 'legacy/last-node.json',
    // Its own command for this deactivates the workflow instead, so it is said in the database.
    activate: `node -e "
      const { Database } = require('/opt/n8n/node_modules/sqlite3');
      new Database('/home/node/.n8n/database.sqlite').run('UPDATE workflow_entity SET active = 1', (e) => { if (e) throw e; });"`,
    ready: '/healthz',
  },
];

/** n8n with SQLite, into which an init container has brought one workflow. */
function n8nPod({ version, workflow, activate, ready }: Version): object[] {
  const container = {
    image: `n8nio/n8n:${version}`,
    env: Object.entries({
      N8N_ENCRYPTION_KEY: 'only-for-this-test',
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
      N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
    }).map(([name, value]) => ({ name, value })),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
    },
    volumeMounts: [
      { name: 'data', mountPath: '/home/node/.n8n' },
      { name: 'workflows', mountPath: '/workflows' },
    ],
  };
  const seed = `n8n import:workflow --input=/workflows/workflows.json && ${activate}`;
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'workflows' },
      // 0.x takes an array only.
      data: { 'workflows.json': `[${readFileSync(join(WORKFLOWS, workflow), 'utf8')}]` },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'n8n', labels: { app: 'n8n' } },
      spec: {
        // Or the Service's name gives the pod N8N_PORT=tcp://..., which n8n takes for its own setting.
        enableServiceLinks: false,
        securityContext: { runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 },
        initContainers: [{ ...container, name: 'seed', command: ['sh', '-ec', seed] }],
        containers: [
          {
            ...container,
            name: 'n8n',
            args: ['start'],
            ports: [{ name: 'http', containerPort: 5678 }],
            resources: { requests: { memory: '512Mi' }, limits: { memory: '1536Mi' } },
            readinessProbe: {
              httpGet: { path: ready, port: 'http' },
              periodSeconds: 1,
              failureThreshold: 300,
            },
          },
        ],
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'workflows', configMap: { name: 'workflows' } },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'n8n' },
      spec: { selector: { app: 'n8n' }, ports: [{ port: 80, targetPort: 'http' }] },
    },
  ];
}

describe.each(VERSIONS)('n8n $version in a pod of our image', (version) => {
  let space: Namespace;
  let url: string;

  beforeAll(async () => {
    space = await createNamespace('n8n');
    await space.apply(n8nPod(version));
    url = await serviceUrl(space, 'n8n');
    await until(
      'a ready pod',
      () => space.kubectl('wait', '--for=condition=Ready', 'pod/n8n', '--timeout=5s'),
      240_000,
    );
  });
  afterAll(() => space?.remove());

  test(`answers ${version.ready}`, async () => {
    // The Service leads to a pod only a moment after the pod is ready.
    await until('status 200', async () => (await request(url + version.ready)).status === 200);
  });

  test('is the version that its tag says, and runs as the user node in its home', async () => {
    expect(await space.kubectl('exec', 'n8n', '--', 'n8n', '--version')).toContain(version.version);
    expect(await space.kubectl('exec', 'n8n', '--', 'sh', '-c', 'id -un; pwd')).toBe(
      'node\n/home/node',
    );
  });

  test('runs a workflow by its webhook', async () => {
    let reply: Reply = { status: 0, body: '' };
    // n8n answers 404 for a moment after it is ready.
    await until('the webhook', async () => {
      reply = await request(
        `${url}/webhook/load-last-node?n=1`,
        '-H',
        'x-load-id: from-the-cluster',
      );
      return reply.status === 200;
    });
    expect(JSON.parse(reply.body)).toMatchObject({
      query: { n: '1' },
      headers: { 'x-load-id': 'from-the-cluster' },
    });
  });
});
