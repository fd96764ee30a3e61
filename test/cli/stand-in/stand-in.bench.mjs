// How many requests per second a stand-in answers with one core: its CPU comes from its own report.
//
//   npm run build && node test/cli/stand-in/stand-in.bench.mjs [seconds] [record.json]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';

const [seconds = '10', recordFile] = process.argv.slice(2);
const CONNECTIONS = 64;

const rule = (more) => ({
  ...{ host: 'api.example.com', method: null, token: null, latency: { kind: 'fixed', ms: 0 } },
  ...{ status: 200, headers: {}, errors: [], limit: null, ...more },
});
const CASES = {
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
  rules: Object.values(CASES),
  model: {
    firstToken: { kind: 'fixed', ms: 0 },
    betweenTokens: { kind: 'fixed', ms: 0 },
    ...{ tokens: 1, toolRounds: 0, tokensPerMinute: null, cutShare: 0, dimensions: 8 },
  },
};

async function measured(path) {
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
    await load(`${url}/to/api.example.com${path}`, Number(seconds) * 1000);
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

/** As many requests as are answered, each connection with one at a time. */
async function load(url, forMs) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const until = performance.now() + forMs;
  const one = () =>
    new Promise((resolve, reject) => {
      const sent = request(url, { agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.resume();
        response.on('end', resolve);
      });
      sent.on('error', reject);
      sent.end();
    });
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < until) await one();
    }),
  );
  agent.destroy();
}

const figures = {};
for (const [name, { path }] of Object.entries(CASES)) {
  figures[name] = await measured(path.replace('{id}', '7'));
}
const record = {
  ...{ node: process.version, machine: { cores: cpus().length, model: cpus()[0]?.model } },
  ...{ secondsEach: Number(seconds), connections: CONNECTIONS, figures },
};
console.log(JSON.stringify(record, null, 2));
if (recordFile !== undefined) writeFileSync(recordFile, `${JSON.stringify(record, null, 2)}\n`);
