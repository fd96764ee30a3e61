// What Redis and PostgreSQL of a release say of themselves, and the connection over which they are asked.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  ExecEnd,
  ExecOptions,
  Place,
} from '../../../../../cli/src/targets/kubernetes/api/api';
import type { V1Pod } from '../../../../../cli/src/targets/kubernetes/api/api-types';
import { ExecSession } from '../../../../../cli/src/targets/kubernetes/api/exec-session';
import { PSQL_WITH_PASSWORD } from '../../../../../cli/src/targets/kubernetes/pods/database';
import {
  prefixIn,
  readQueue,
  storesOf,
} from '../../../../../cli/src/targets/kubernetes/pods/stores';

const PLACE = { namespace: 'n', pod: 'redis-0', container: 'redis' };

/** Answers each line as it is told; ends when asked to. */
class FakeCluster {
  connections: { place: Place; command: readonly string[]; end(how: ExecEnd): void }[] = [];

  constructor(private readonly answer: (question: string) => string | null) {}

  exec = (place: Place, command: readonly string[], options: ExecOptions): Promise<ExecEnd> =>
    new Promise((resolve) => {
      this.connections.push({ place, command, end: resolve });
      options.signal?.addEventListener('abort', () => resolve({ code: null, stderr: '' }));
      options.onOpen?.((text) => {
        const said = this.answer(text.trim());
        if (said !== null) void Promise.resolve().then(() => options.onOutput(`${said}\n`));
      });
    });
}

test('questions go over one connection, one after the other', async () => {
  const cluster = new FakeCluster((question) => `answer to ${question}`);
  const session = new ExecSession(cluster, PLACE, ['sh']);
  expect(await session.ask('one')).toBe('answer to one');
  expect(await session.ask('two')).toBe('answer to two');
  expect(cluster.connections).toHaveLength(1);
  session.end();
});

test('after a connection that breaks, and after silence, the next question begins anew', async () => {
  let isSilent = true;
  const cluster = new FakeCluster((question) => (isSilent ? null : question));
  const session = new ExecSession(cluster, PLACE, ['sh'], 50);
  await expect(session.ask('one')).rejects.toThrow(
    'in redis-0: there was no response within 0.05 s',
  );
  const broken = session.ask('two');
  cluster.connections[1]?.end({ code: 1, stderr: 'it has no redis-cli\n' });
  await expect(broken).rejects.toThrow('in redis-0: it has no redis-cli');
  isSilent = false;
  expect(await session.ask('three')).toBe('three');
  expect(cluster.connections).toHaveLength(3);
  session.end();
});

test.each([
  [{ POSTGRES_USER: 'n8n' }, '-U n8n -d n8n'],
  [{ POSTGRES_USER: 'postgres', POSTGRES_DB: 'n8n', N8N_ROLE: 'flows' }, '-U flows -d n8n'],
])('PostgreSQL is asked as the role that has the password: %j', (env, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'psql-'));
  writeFileSync(join(folder, 'psql'), '#!/bin/sh\necho "$PGPASSWORD $*"\n', { mode: 0o700 });
  const PATH = `${folder}:${process.env['PATH'] ?? ''}`;
  const said = execFileSync('sh', ['-c', PSQL_WITH_PASSWORD, 'sh', 'SELECT 1'], {
    encoding: 'utf8',
    env: { PATH, POSTGRES_PASSWORD: 's3cret', ...env },
  });
  rmSync(folder, { recursive: true });
  expect(said).toMatch(/^s3cret .* -c SELECT 1$/m);
  expect(said).toContain(expected);
});

test('what the queue says becomes its figures', () => {
  const memory = 'used_memory:2097152\r\nused_memory_human:2M\r\nmaxmemory:0\r\n';
  const answer = { waiting: 3, active: 2, since: 1_000, now: 4_500, memory };
  expect(readQueue(JSON.stringify(answer))).toEqual({
    ...{ waiting: 3, active: 2, oldestMs: 3_500, memoryMiB: 2, memoryMaxMiB: null },
  });
  const limited = { ...answer, since: 0, memory: 'used_memory:1048576\nmaxmemory:4194304\n' };
  expect(readQueue(JSON.stringify(limited))).toMatchObject({ oldestMs: 0, memoryMaxMiB: 4 });
  expect(() => readQueue('NOAUTH Authentication required.')).toThrow(
    "Redis answers 'NOAUTH Authentication required.'",
  );
});

const pod = (component: string, container: string, env: { name: string; value: string }[] = []) =>
  ({
    metadata: {
      ...{ name: `n8n-${component}-0`, uid: component },
      labels: { 'app.kubernetes.io/component': component },
    },
    spec: { nodeName: 'node0', containers: [{ name: container, env }] },
    status: {
      containerStatuses: [{ name: container, state: { running: {} }, restartCount: 0 }],
    },
  }) as unknown as V1Pod;

test('stores that are pods of the release are asked there, and others are not', async () => {
  const cluster = new FakeCluster((question) =>
    question === ''
      ? JSON.stringify({ waiting: 1, active: 0, since: 0, now: 0, memory: 'used_memory:0' })
      : JSON.stringify({
          ...{ connections: 4, max: 97, active: 1, waiting: 0, transactions: 9 },
          sizeMiB: question.includes('pg_database_size') ? 3 * 1024 * 1024 : null,
        }),
  );
  const main = pod('main', 'n8n', [{ name: 'QUEUE_BULL_PREFIX', value: 'mine' }]);
  const stores = storesOf(cluster, 'load', [main, pod('redis', 'redis'), pod('postgresql', 'pg')]);
  expect(await stores.queue?.()).toMatchObject({ waiting: 1, memoryMaxMiB: null });
  expect(cluster.connections[0]?.place).toEqual({
    ...{ namespace: 'load', pod: 'n8n-redis-0', container: 'redis' },
  });
  expect(cluster.connections[0]?.command.at(-1)).toBe('mine:jobs:');
  // Its size is asked for now and then.
  expect(await stores.postgresql?.()).toMatchObject({ connections: 4, sizeMiB: 3 });
  expect(await stores.postgresql?.()).toMatchObject({ connections: 4, sizeMiB: null });
  stores.end();
  expect(storesOf(cluster, 'load', [main])).toMatchObject({ queue: null, postgresql: null });
  expect(prefixIn([pod('main', 'n8n')])).toBe('bull');
});
