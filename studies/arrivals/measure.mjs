// By how much even arrivals flatter the 95th percentile near saturation: plain k6 with even and with random
// arrivals against a server with 4 slots and exponential service times, next to what queueing gives for it.
//   . lab/env.sh && node studies/arrivals/measure.mjs [seconds]        about 5 minutes
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headOf } from '../head.mjs';
import { recordsOf } from '../archive.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const SLOTS = 4;
const SERVICE_MS = 40;
const SHARES = [0.7, 0.8, 0.9, 0.95];
const KINDS = ['even', 'random'];
const SECONDS = Number(process.argv[2] ?? 30);
const SIMULATED = 2_000_000;
const k6 = process.env.N8N_TUNED_K6 ?? 'k6';

/** splitmix, as in loadtests/lib/random.ts: the same service times in every run. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
const exponential = (random, mean) => -mean * Math.log(1 - random());

/** First come, first served by the slots; a slot is held for the time that the timer really took. */
async function serve() {
  const random = seeded(1);
  const waiting = [];
  let free = SLOTS;
  const held = { count: 0, ms: 0 };
  const next = () => {
    if (free === 0 || waiting.length === 0) return;
    free -= 1;
    const response = waiting.shift();
    const begun = performance.now();
    setTimeout(
      () => {
        held.count += 1;
        held.ms += performance.now() - begun;
        free += 1;
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
        next();
      },
      exponential(random, SERVICE_MS),
    );
  };
  const server = createServer((request, response) => {
    request.resume();
    waiting.push(response);
    next();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    meanServiceMs: () => held.ms / held.count,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The same queue computed: the mean service time that the server really had, many more requests. */
function computedP95Ms(kind, ratePerSecond, serviceMs) {
  const random = seeded(7);
  const freeAt = Array.from({ length: SLOTS }, () => 0);
  const latencies = new Float64Array(SIMULATED);
  let now = 0;
  for (let i = 0; i < SIMULATED; i += 1) {
    now += kind === 'even' ? 1000 / ratePerSecond : exponential(random, 1000 / ratePerSecond);
    let slot = 0;
    for (let s = 1; s < SLOTS; s += 1) if (freeAt[s] < freeAt[slot]) slot = s;
    const end = Math.max(now, freeAt[slot]) + exponential(random, serviceMs);
    freeAt[slot] = end;
    latencies[i] = end - now;
  }
  return latencies.sort()[Math.ceil(0.95 * SIMULATED) - 1];
}

async function load(url, arrivals, ratePerSecond) {
  const folder = mkdtempSync(join(tmpdir(), 'arrivals-'));
  const summary = join(folder, 'summary.json');
  const settings = {
    ...{ BASE_URL: url, REQUEST: 'GET /', EXPECT: 'json.ok==true', RATE: ratePerSecond },
    ...{
      DURATION: `${SECONDS}s`,
      WARMUP: '3s',
      ARRIVALS: arrivals,
      SEED: 42,
      SUMMARY_FILE: summary,
    },
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const k6Run = [
    'run',
    '--quiet',
    '--address=127.0.0.1:0',
    ...flags,
    path('../../loadtests/load.ts'),
  ];
  const child = spawn(k6, k6Run, { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`k6 ended with ${code}`);
  const read = JSON.parse(readFileSync(summary, 'utf8'));
  rmSync(folder, { recursive: true, force: true });
  return read;
}

const head = headOf();
const asked = spawnSync(k6, ['version'], { encoding: 'utf8' });
if (asked.error !== undefined) {
  console.error(`${k6} cannot be run: install it with lab/install.sh k6, then run . lab/env.sh`);
  process.exit(2);
}
const version = asked.stdout.trim().split(' ')[1];
const rows = [];
for (const share of SHARES) {
  for (const arrivals of KINDS) {
    const server = await serve();
    const ratePerSecond = (share * SLOTS * 1000) / SERVICE_MS;
    const { requests, errors, latencyMs, latenessMs } = await load(
      server.url,
      arrivals,
      ratePerSecond,
    );
    const serviceMs = server.meanServiceMs();
    server.close();
    const busy = (requests / SECONDS) * (serviceMs / 1000 / SLOTS);
    rows.push({
      ...{ arrivals, ratePerSecond, requests, errors, utilisation: busy, meanServiceMs: serviceMs },
      ...{ p50Ms: latencyMs.p50, p95Ms: latencyMs.p95, p99Ms: latencyMs.p99 },
      computedP95Ms: computedP95Ms(arrivals, ratePerSecond, serviceMs),
      latenessMs,
    });
    console.log(JSON.stringify(rows.at(-1)));
  }
}
const settings = { slots: SLOTS, serviceMs: SERVICE_MS, seconds: SECONDS, k6: version };
const record = { ...head, ...settings, rows };
recordsOf('arrivals').write('record', record);
