import { readFileSync } from 'node:fs';
import { Agent, request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Resource } from './objects.ts';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const RETRY_MS = 1000;
const WATCH_SECONDS = 300;

const agent = new Agent({ keepAlive: true, ca: readFileSync(`${ACCOUNT}/ca.crt`) });

function call(method: string, path: string, body?: unknown): Promise<IncomingMessage> {
  const options: RequestOptions = {
    agent,
    method,
    path,
    host: process.env['KUBERNETES_SERVICE_HOST'],
    port: process.env['KUBERNETES_SERVICE_PORT'],
    headers: {
      authorization: `Bearer ${readFileSync(`${ACCOUNT}/token`, 'utf8')}`, // it is renewed: read it anew
      ...(body !== undefined && { 'content-type': 'application/merge-patch+json' }),
    },
  };
  return new Promise((resolve, reject) => {
    const req = request(options, resolve).on('error', reject);
    req.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function text(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function getJson<T>(path: string): Promise<T> {
  const response = await call('GET', path);
  const body = await text(response);
  if (response.statusCode !== 200)
    throw new Error(`${path}: ${response.statusCode} ${body.slice(0, 200)}`);
  return JSON.parse(body) as T;
}

export async function patchStatus(path: string, status: unknown): Promise<void> {
  const response = await call('PATCH', `${path}/status`, { status });
  const body = await text(response);
  // 404: the object was deleted in the meantime.
  if (response.statusCode !== 200 && response.statusCode !== 404) {
    throw new Error(`${path}: ${response.statusCode} ${body.slice(0, 200)}`);
  }
}

interface List<T> {
  metadata: { resourceVersion: string };
  items: T[];
}

interface Event<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T;
}

/** Keeps `onChange` told of all objects under a path, for good; a lost connection only delays it. */
export async function follow<T extends Resource>(
  path: string,
  onChange: (all: T[]) => void,
): Promise<never> {
  for (;;) {
    try {
      const list = await getJson<List<T>>(path);
      const all = new Map(list.items.map((item) => [item.metadata.uid, item]));
      onChange([...all.values()]);
      const since = `resourceVersion=${list.metadata.resourceVersion}&timeoutSeconds=${WATCH_SECONDS}`;
      const response = await call(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}watch=1&${since}`,
      );
      for await (const line of createInterface({ input: response })) {
        const { type, object } = JSON.parse(line) as Event<T>;
        if (type === 'ERROR') break; // too old a version: list anew
        if (type === 'DELETED') all.delete(object.metadata.uid);
        else if (type !== 'BOOKMARK') all.set(object.metadata.uid, object);
        onChange([...all.values()]);
      }
      response.destroy();
    } catch (error) {
      process.stderr.write(`ingress: ${(error as Error).message}\n`);
      await sleep(RETRY_MS);
    }
  }
}
