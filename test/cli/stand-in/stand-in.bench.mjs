// How many requests per second a stand-in answers with one core: its CPU comes from its own report.
//
//   npm run build && node test/cli/stand-in/stand-in.bench.mjs [seconds] [record.json]
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';

const [seconds = '10', recordFile] = process.argv.slice(2);
/** So many that no latency of a rule bounds the rate. */
const CONNECTIONS = 400;

const rule = (more) => ({
  ...{ host: 'api.example.com', method: null, token: null, latency: { kind: 'fixed', ms: 0 } },
  ...{ status: 200, headers: {}, errors: [], limit: null, ...more },
});
const RULES = {
  fixed: rule({ path: '/fixed', body: { kind: 'json', value: { ok: true } } }),
  'template and latency': rule({
    path: '/orders/{id}',
    latency: { kind: 'lognormal', p50Ms: 20, p95Ms: 60 },
    body: {
      kind: 'json',
      value: { id: '{{path.id}}', lines: { $repeat: 10, $of: { article: 'A-{{i}}' } } },
    },
  }),
};
const plan = {
  seed: 1,
  rules: Object.values(RULES),
  model: {
    firstToken: { kind: 'fixed', ms: 0 },
    betweenTokens: { kind: 'fixed', ms: 0 },
    ...{ tokens: 1, toolRounds: 0, tokensPerMinute: null, cutShare: 0, dimensions: 8 },
  },
};

const messages = [{ role: 'user', content: 'Is my order on its way?' }];
const CASES = {
  fixed: { path: '/fixed' },
  'template and latency': { path: '/orders/7' },
  'language model': {
    path: '/v1/chat/completions',
    body: JSON.stringify({ model: 'gpt-5-mini', messages }),
  },
};

async function measured({ path, body = '' }) {
  const folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
  const planFile = join(folder, 'plan.json');
  writeFileSync(planFile, JSON.stringify(plan));
  const program = join(import.meta.dirname, '../../../cli/dist/stand-in.cjs');
  const child = spawn(process.execPath, [program], {
    env: { PORT: '0', PLAN_FILE: planFile },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(createInterface(child.stdout), 'line');
    const url = line.replace('listening on ', '');
    const report = async () => (await fetch(`${url}/stand-in/report`)).json();
    const before = await report();
    await load(`${url}/to/api.example.com${path}`, body, Number(seconds) * 1000);
    const after = await report();
    const requests = after.requests - before.requests;
    const elapsed = after.seconds - before.seconds;
    const cpuSeconds = after.cpuCores * after.seconds - before.cpuCores * before.seconds;
    return {
      requestsPerSecond: Math.round(requests / elapsed),
      requestsPerCpuSecond: Math.round(requests / cpuSeconds),
      cpuCores: Number((cpuSeconds / elapsed).toFixed(2)),
    };
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(folder, { recursive: true });
  }
}

/**
 * Sends as many requests as are answered, each connection with one at a time. By sockets, since a client of HTTP needs more CPU for
 * a request than the server that it asks: all answers of a case have the same length.
 */
async function load(url, body, forMs) {
  const { hostname, port } = new URL(url);
  const text = requestText(url, body);
  const length = await lengthOf(url, text);
  const until = performance.now() + forMs;
  const one = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(text));
      let bytes = 0;
      socket.setNoDelay(true);
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        if (bytes === 0 && !chunk.subarray(0, 16).equals(OK)) {
          reject(new Error(`answered ${chunk.subarray(0, 40).toString()}`));
        }
        bytes += chunk.length;
        if (bytes < length) return;
        bytes = 0;
        if (performance.now() < until) socket.write(text);
        else socket.end(resolve);
      });
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
}

function requestText(url, body) {
  const { hostname, pathname } = new URL(url);
  const method = body === '' ? 'GET' : 'POST';
  return `${method} ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

const OK = Buffer.from('HTTP/1.1 200 OK\r');

/** The length of an answer with its head, as every connection gets it. */
function lengthOf(url, text) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(text);
    });
    const chunks = [];
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const answer = Buffer.concat(chunks);
      const head = answer.indexOf('\r\n\r\n') + 4;
      const [, body = 'NaN'] = /content-length: (\d+)/i.exec(answer.subarray(0, head)) ?? [];
      if (head < 4 || answer.length < head + Number(body)) return;
      socket.end();
      resolve(answer.length);
    });
  });
}

const figures = {};
for (const [name, each] of Object.entries(CASES)) figures[name] = await measured(each);
const record = {
  ...{ node: process.version, machine: { cores: cpus().length, model: cpus()[0]?.model } },
  ...{ secondsEach: Number(seconds), connections: CONNECTIONS, figures },
};
console.log(JSON.stringify(record, null, 2));
if (recordFile !== undefined) writeFileSync(recordFile, `${JSON.stringify(record, null, 2)}\n`);
