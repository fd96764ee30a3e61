// What the replacing of services costs in accuracy: CPU of n8n for an execution of an order workflow of 14 nodes, and for
// one of its twin. The original calls nginx by HTTP Request and by GraphQL, whose node becomes an HTTP Request in the twin.
//
// Both are up at the same time, each in an n8n of its own, and are called in turns (ABBA), two executions at a time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
import { newOwnersKey } from '../../cli/src/targets/url/owner';
import { cpuSeconds } from '../oha';
import { withN8n, type Up } from '../up';

const PAIRS = 20;
const EXECUTIONS = 150;
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
  '/graphql': { data: { customer: { id: 42, name: 'Ada Example', city: 'Example Town' } } },
  '/payments': { status: 'paid', lines: BODY.lines },
  '/prices/': { amount: 12.5, currency: 'EUR', validUntil: '2030-01-01' },
  '/notices': { ok: true },
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

/** Until `use` has ended. */
async function withServices<Result>(
  scratch: string,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const folder = join(scratch, 'nginx');
  mkdirSync(folder);
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, nginxConfig(folder, port));
  const nginx = spawn(find('nginx'), ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    return await use(`http://127.0.0.1:${String(port)}`);
  } finally {
    const ended = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await ended;
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

interface Side {
  url: string;
  up: Up;
}

/** CPU milliseconds of n8n for one of so many executions. */
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

/** Of the original as it runs, with its last executions, as a user makes it. */
async function twinOf(
  original: Up & { owner: Owner },
  { call, scratch }: Measuring,
): Promise<RecordedTwin> {
  const scopes = ['workflow:read', 'workflow:list', 'execution:list', 'execution:read'];
  const key = await newOwnersKey(original.baseUrl, original.owner, scopes);
  const list = await fetch(`${original.baseUrl}/api/v1/workflows`, {
    headers: { 'x-n8n-api-key': key },
  });
  const { data } = (await list.json()) as { data: { id: string }[] };
  const { record, code, ending } = await call<RecordedTwin>(
    [
      ...['twin', '--url', original.baseUrl, '--workflow', data[0]?.id ?? '', '--keep-values'],
      ...['--into', scratch],
    ],
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
  return withServices(scratch, async (service) => {
    const file = join(scratch, 'order.json');
    const workflow = readFileSync(join(import.meta.dirname, 'order.json'), 'utf8');
    writeFileSync(file, workflow.replaceAll(SERVICE, service));
    const words = [...topology, '--workflow', file, '--body', JSON.stringify(BODY)];
    return withN8n(measuring, { name: 'twins-original', words }, async (original) => {
      const url = `${original.baseUrl}/webhook/order-of-study`;
      for (let times = 0; times < 5; times += 1) await execute(url);
      const made = await twinOf(original as Up & { owner: Owner }, measuring);
      const [workload = ''] = made.files;
      const ofTwin = { name: 'twins-twin', words: [...topology, '--workload', workload] };
      return withN8n(measuring, ofTwin, async (twin) => {
        const sides: Side[] = [
          { url, up: original },
          { url: `${twin.baseUrl}${made.request.path}`, up: twin },
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
            ...{ versions: original.versions, executions, pairs, ratio, within: WITHIN },
            replaced: made.rows.filter(({ inTest }) => inTest === 'stand-in'),
          },
          sentence: `an execution of the twin took ${ratio.value.toFixed(2)} times the CPU of the original (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`,
        };
      });
    });
  });
}

export default {
  parts: [{ name: 'order', seconds: 420 }],
  measured,
} satisfies Study;
