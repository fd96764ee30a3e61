// What the replacing of services costs in accuracy: CPU of n8n for an execution of an order workflow of 14 nodes, and for
// one of its twin. The original calls nginx by HTTP Request and by GraphQL, reads PostgreSQL and sends mail by SMTP; in the
// twin each of these nodes is an HTTP Request.
//
// Both are in one n8n, since two processes of the same n8n differ by more than a twin does. They are called in short turns
// (ABBA), two executions at a time, so that both have their share of whatever else the machine does.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { compare, turn, type Pair } from '../../cli/src/features/compare/analysis/compare';
import {
  NotMeasured,
  type Measuring,
  type Part,
  type Study,
} from '../../cli/src/features/study/study';
import { find } from '../../cli/src/targets/process/tools';
import { freePort } from '../../cli/src/targets/process/ports';
import type { Owner } from '../../cli/src/targets/target';
import { postgresqlUrl, query } from '../../cli/src/targets/process/postgresql';
import { newPassword } from '../../cli/src/targets/process/secrets';
import { N8nApi } from '../../cli/src/targets/url/api';
import { newOwnersKey } from '../../cli/src/targets/url/owner';
import { cpuSeconds } from '../oha';
import { startPostgresql, withN8n, type Up } from '../up';

const PAIRS = 60;
const EXECUTIONS = 20;
const AT_ONCE = 2;
/** Before anything counts: what n8n compiles as it first runs. */
const WARMUP = 60;
/** The goal of the twin: this far from the original at most. */
const WITHIN = 0.15;
/** Stands in the workflow for nginx, which listens on a port that was free. */
const SERVICE = 'http://service.example';
const BODY = {
  ...{ id: 7, customer: 42 },
  lines: [1, 2, 3].map((line) => ({ article: `A-${String(line)}`, quantity: line })),
};

const ANSWERS = {
  '/stock': {
    articles: Array.from({ length: 20 }, (_, id) => ({ article: `A-${String(id)}`, inStock: id })),
  },
  '/graphql': { data: { pay: { status: 'paid' } }, lines: BODY.lines },
  '/prices/': { amount: 12.5, currency: 'EUR', validUntil: '2030-01-01' },
};

function nginxConfig(folder: string, port: number): string {
  const locations = Object.entries(ANSWERS).map(
    ([path, answer]) => `location ${path} { return 200 '${JSON.stringify(answer)}'; }`,
  );
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; pid ${folder}/pid; error_log stderr warn; events {}
http { access_log off; default_type application/json; ${folders.join(' ')}
  server { listen 127.0.0.1:${String(port)}; ${locations.join('\n')} } }`;
}

const CUSTOMERS = `CREATE TABLE customers AS
  SELECT id, 'Ada Example' AS name, 'Example Town' AS city FROM generate_series(1, 1000) AS id`;

/** Takes any mail, and keeps none. */
async function startMail(): Promise<{ port: number; end: () => void }> {
  const server = createServer((socket) => {
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    socket.on('error', () => socket.destroy());
    let isText = false;
    createInterface({ input: socket }).on('line', (line) => {
      if (isText) {
        isText = line !== '.';
        if (!isText) say('250 taken');
      } else if (line.startsWith('DATA')) {
        isText = true;
        say('354 go on');
      } else if (line.startsWith('QUIT')) {
        say('221 bye');
        socket.end();
      } else say('250 yes');
    });
    say('220 mail.service.example');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, end: () => server.close() };
}

interface Services {
  url: string;
  /** Data of credentials, by their types. */
  credentials: Record<string, object>;
}

/** Until `use` has ended. */
async function withServices<Result>(
  scratch: string,
  use: (services: Services) => Promise<Result>,
): Promise<Result> {
  const folder = join(scratch, 'nginx');
  mkdirSync(folder);
  // PostgreSQL may run as another user.
  chmodSync(scratch, 0o755);
  const [port, databasePort, password] = [await freePort(), await freePort(), newPassword()];
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, nginxConfig(folder, port));
  const nginx = spawn(find('nginx'), ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const mail = await startMail();
  const servers: [ChildProcess, NodeJS.Signals][] = [[nginx, 'SIGTERM']];
  const host = '127.0.0.1';
  try {
    const place = { folder: scratch, log: '' };
    servers.push([await startPostgresql(place, databasePort, password), 'SIGINT']);
    await query(postgresqlUrl(databasePort, password), CUSTOMERS);
    return await use({
      url: `http://${host}:${String(port)}`,
      credentials: {
        postgres: {
          ...{ host, port: databasePort, database: 'n8n', user: 'n8n', password },
          ...{ ssl: 'disable', sshTunnel: false },
        },
        smtp: { host, port: mail.port, secure: false, disableStartTls: true },
      },
    });
  } finally {
    mail.end();
    for (const [server, signal] of servers) {
      const ended = once(server, 'exit');
      server.kill(signal);
      await ended;
    }
  }
}

/** With its credentials, as a user puts it into n8n. Its id there. */
async function imported(api: N8nApi, { url, credentials }: Services): Promise<string> {
  let text = readFileSync(join(import.meta.dirname, 'order.json'), 'utf8').replaceAll(SERVICE, url);
  for (const [type, data] of Object.entries(credentials)) {
    const body = { name: type, type, data };
    const { id } = await api.ask<{ id: string }>('POST', '/credentials', { body });
    text = text.replaceAll(`"id": "${type}"`, `"id": "${id}"`);
  }
  const { name, nodes, connections, settings } = JSON.parse(text) as Record<string, unknown>;
  const body = { name, nodes, connections, settings };
  const { id } = await api.ask<{ id: string }>('POST', '/workflows', { body });
  await api.ask('POST', `/workflows/${id}/activate`);
  return id;
}

/** n8n has a webhook some time after it has said that the workflow is active. */
const REGISTERED_WITHIN_MS = 60_000;

async function untilRegistered(url: string, signal: AbortSignal): Promise<void> {
  const end = Date.now() + REGISTERED_WITHIN_MS;
  while (Date.now() < end) {
    const reply = await fetch(url, { method: 'POST', signal });
    const text = await reply.text();
    if (reply.status !== 404 || !text.includes('not registered')) return;
    await sleep(500);
  }
}

async function execute(url: string): Promise<void> {
  const reply = await fetch(url, {
    ...{ method: 'POST', body: JSON.stringify(BODY) },
    headers: { 'content-type': 'application/json' },
  });
  const text = await reply.text();
  if (!text.includes('"ok":true')) {
    throw new NotMeasured(`${url} answered ${String(reply.status)}: ${text.slice(0, 200)}`);
  }
}

type UpOfOurs = Up & { owner: Owner };

interface Original {
  baseUrl: string;
  workflow: string;
  key: string;
  url: string;
}

interface Side {
  url: string;
  up: Up;
}

/** CPU milliseconds of n8n per execution. */
async function cpuOf({ url, up }: Side, executions: number, signal: AbortSignal): Promise<number> {
  const before = await cpuSeconds(up.metrics);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let done = 0; done < executions / AT_ONCE; done += 1) {
        signal.throwIfAborted();
        await execute(url);
      }
    }),
  );
  // What n8n does after its response.
  await sleep(300);
  return (1000 * ((await cpuSeconds(up.metrics)) - before)) / executions;
}

interface RecordedTwin {
  files: string[];
  request: { path: string };
  rows: { node: string; inTest: string; recordedFrom: string }[];
}

const SCOPES = [
  ...['credential:create', 'workflow:create', 'workflow:activate', 'workflow:read'],
  ...['execution:list', 'execution:read'],
];

/** A twin of the original as it runs, with its last executions, as a user makes it. */
async function twinOf(
  { baseUrl, workflow, key }: Original,
  { call, scratch }: Measuring,
): Promise<RecordedTwin> {
  const { record, code, ending } = await call<RecordedTwin>(
    ['twin', '--url', baseUrl, '--workflow', workflow, '--keep-values', '--into', scratch],
    { env: { N8N_API_KEY: key } },
  );
  if (code !== 0) throw new NotMeasured(ending);
  return record;
}

async function measured(_: Part, measuring: Measuring) {
  const { isShort, scratch, signal } = measuring;
  const pairsAsked = isShort ? 2 : PAIRS;
  const executions = isShort ? 10 : EXECUTIONS;
  const topology = ['--database', 'postgresql'];
  return withServices(scratch, async (services) => {
    const put = async ({ baseUrl, owner }: UpOfOurs): Promise<Original> => {
      const key = await newOwnersKey(baseUrl, owner, SCOPES);
      const workflow = await imported(new N8nApi(baseUrl, key, signal), services);
      const url = `${baseUrl}/webhook/order-of-study`;
      await untilRegistered(url, signal);
      return { baseUrl, workflow, key, url };
    };
    const recording = { name: 'twins-original', words: [...topology, '--workload', 'last-node'] };
    const made = await withN8n(measuring, recording, async (up) => {
      const original = await put(up as UpOfOurs);
      // The twin has the times of the last executions, which no n8n that has just begun is to make long.
      for (let times = 0; times < WARMUP; times += 1) await execute(original.url);
      return twinOf(original, measuring);
    });
    const [workload = ''] = made.files;
    const words = [...topology, '--workload', workload];
    return withN8n(measuring, { name: 'twins-both', words }, async (up) => {
      const { url } = await put(up as UpOfOurs);
      const sides: Side[] = [
        { url, up },
        { url: `${up.baseUrl}${made.request.path}`, up },
      ];
      for (const side of sides) await cpuOf(side, isShort ? 4 : WARMUP, signal);
      const cpuMs: [number[], number[]] = [[], []];
      for (let run = 0; run < 2 * pairsAsked; run += 1) {
        const which = turn(run, 2) as 0 | 1;
        cpuMs[which].push(await cpuOf(sides[which] as Side, executions, signal));
      }
      const [ofOriginal, ofIt] = cpuMs;
      const pairs = ofOriginal.map((a, index): Pair => ({ a, b: ofIt[index] ?? a }));
      const { ratio } = compare(pairs, { moreIsBetter: true, maxPairs: pairsAsked });
      return {
        record: {
          ...{ versions: up.versions, executions, pairs, ratio, within: WITHIN },
          replaced: made.rows.filter(({ inTest }) => inTest === 'stand-in'),
        },
        sentence: `an execution of the twin took ${ratio.value.toFixed(2)} times the CPU of the original (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`,
      };
    });
  });
}

export default {
  parts: [{ name: 'order', seconds: 420 }],
  measured,
} satisfies Study;
