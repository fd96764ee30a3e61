// The script of the job that makes secrets, against an API server of our own that keeps them in a map.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chart } from './support/helm.ts';

interface Secret {
  metadata: { name: string; labels: Record<string, string> };
  data: Record<string, string>;
}

const GIVEN = 'n8n-given-encryption-key';
const WANTED = [
  { name: 'n8n-encryption-key', key: 'encryption-key', copyOf: GIVEN },
  { name: 'n8n-redis', key: 'password' },
];
const base64 = (text: string): string => Buffer.from(text).toString('base64');

let folder: string;
let server: Server;
let secrets: Map<string, Secret>;
let script: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-secrets-'));
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=api'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1'],
      ...['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'ca.crt')],
    ],
    { stdio: 'ignore' },
  );
  writeFileSync(join(folder, 'token'), 'a token\n');
  script = readFileSync(join(chart, 'files/make-secrets.cjs'), 'utf8').replace(
    '/var/run/secrets/kubernetes.io/serviceaccount',
    folder,
  );
  const pem = (file: string): Buffer => readFileSync(join(folder, file));
  server = createServer({ key: pem('key.pem'), cert: pem('ca.crt') }, (request, response) => {
    const name = /^\/api\/v1\/namespaces\/n8n\/secrets(?:\/(.+))?$/.exec(request.url ?? '')?.[1];
    const answer = (status: number, body: unknown = {}): void => {
      response.writeHead(status).end(JSON.stringify(body));
    };
    if (request.headers.authorization !== 'Bearer a token') return answer(401);
    // All that the Role lets the account do.
    if (request.method !== 'POST' || name !== undefined) return answer(403);
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const secret = JSON.parse(text) as Secret;
      if (secrets.has(secret.metadata.name)) return answer(409);
      secrets.set(secret.metadata.name, secret);
      answer(201);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  secrets = new Map();
});

async function make(more: Record<string, string> = {}): Promise<string> {
  const env = {
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: String((server.address() as AddressInfo).port),
    NAMESPACE: 'n8n',
    METADATA: '{"labels":{"a":"b"},"annotations":{"c":"d"}}',
    SECRETS: JSON.stringify(WANTED),
    ...more,
  };
  const child = spawn(process.execPath, ['-e', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(output);
  return output;
}
const valueOf = (name: string, key: string): string => secrets.get(name)?.data[key] ?? '';

test('the Job of secrets makes each once, and never touches one that is there', async () => {
  expect(await make()).toBe('n8n-encryption-key: made\nn8n-redis: made\n');
  const first = valueOf('n8n-encryption-key', 'encryption-key');
  expect(Buffer.from(first, 'base64').toString()).toMatch(/^[0-9a-f]{48}$/);
  expect(secrets.get('n8n-redis')?.metadata).toEqual({
    name: 'n8n-redis',
    labels: { a: 'b' },
    annotations: { c: 'd' },
  });
  expect(await make()).toMatch(/^n8n-encryption-key: is there already, kept as it is\n/);
  expect(valueOf('n8n-encryption-key', 'encryption-key')).toBe(first);
});

test('the Job of secrets takes over the key that the values gave before, which the node gives it', async () => {
  const said = await make({ COPY_0: 'a key of the user' });
  expect(said).toContain(`n8n-encryption-key: made, a copy of ${GIVEN}\n`);
  expect(valueOf('n8n-encryption-key', 'encryption-key')).toBe(base64('a key of the user'));
  expect(valueOf('n8n-redis', 'password')).not.toBe(base64('a key of the user'));
});
