// By how much even arrivals flatter the 95th percentile near saturation: plain k6 with even and with random
// arrivals against a server with 4 slots and exponential service times, next to what queueing gives for it.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import type { Part, Study } from '../../cli/src/features/study/study';
import { labPaths } from '../../cli/src/lab/paths';
import { exponential, seededRandom } from '../../loadtests/lib/random';

const run = promisify(execFile);
const SLOTS = 4;
const SERVICE_MS = 40;
const SHARES = [0.7, 0.8, 0.9, 0.95];
const KINDS = ['even', 'random'] as const;
type Kind = (typeof KINDS)[number];
const SECONDS = 30;
const SIMULATED = 2_000_000;
const { k6 } = labPaths();

/** First come, first served by the slots; a slot is held for the time that the timer really took. */
async function serve() {
  const random = seededRandom(1);
  const waiting: ServerResponse[] = [];
  let free = SLOTS;
  const held = { count: 0, ms: 0 };
  const next = (): void => {
    const response = free === 0 ? undefined : waiting.shift();
    if (response === undefined) return;
    free -= 1;
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    meanServiceMs: () => held.ms / held.count,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The same queue computed: the mean service time that the server really had, many more requests. */
function computedP95Ms(kind: Kind, ratePerSecond: number, serviceMs: number): number {
  const random = seededRandom(7);
  const freeAt = Array.from({ length: SLOTS }, () => 0);
  const latencies = new Float64Array(SIMULATED);
  let now = 0;
  for (let i = 0; i < SIMULATED; i += 1) {
    now += kind === 'even' ? 1000 / ratePerSecond : exponential(random, 1000 / ratePerSecond);
    let slot = 0;
    for (let s = 1; s < SLOTS; s += 1) if ((freeAt[s] ?? 0) < (freeAt[slot] ?? 0)) slot = s;
    const end = Math.max(now, freeAt[slot] ?? 0) + exponential(random, serviceMs);
    freeAt[slot] = end;
    latencies[i] = end - now;
  }
  return latencies.sort()[Math.ceil(0.95 * SIMULATED) - 1] ?? NaN;
}

interface Summary {
  requests: number;
  errors: number;
  latencyMs: { p50: number; p95: number; p99: number };
  latenessMs: unknown;
}

async function load(
  url: string,
  arrivals: Kind,
  ratePerSecond: number,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<Summary> {
  const folder = mkdtempSync(join(tmpdir(), 'arrivals-'));
  const summary = join(folder, 'summary.json');
  const settings = {
    ...{ BASE_URL: url, REQUEST: 'GET /', EXPECT: 'json.ok==true', RATE: ratePerSecond },
    ...{ DURATION: `${String(seconds)}s`, WARMUP: '3s', ARRIVALS: arrivals, SEED: 42 },
    SUMMARY_FILE: summary,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => [
    '-e',
    `${name}=${String(value)}`,
  ]);
  const script = join(import.meta.dirname, '../../loadtests/load.ts');
  try {
    await run(k6, ['run', '--quiet', '--address=127.0.0.1:0', ...flags, script], { signal });
    return JSON.parse(readFileSync(summary, 'utf8')) as Summary;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const parts: Part[] = [{ name: 'record', seconds: 300 }];

export default {
  parts,
  async measured(_part, { isShort, signal, tell }) {
    const seconds = isShort ? 3 : SECONDS;
    const version = (await run(k6, ['version'])).stdout.trim().split(' ')[1];
    const rows: object[] = [];
    for (const share of isShort ? SHARES.slice(0, 1) : SHARES) {
      for (const arrivals of KINDS) {
        const server = await serve();
        const ratePerSecond = (share * SLOTS * 1000) / SERVICE_MS;
        const { requests, errors, latencyMs, latenessMs } = await load(
          server.url,
          arrivals,
          ratePerSecond,
          { seconds, signal },
        ).finally(() => {
          server.close();
        });
        const meanServiceMs = server.meanServiceMs();
        const utilisation = (requests / seconds) * (meanServiceMs / 1000 / SLOTS);
        rows.push({
          ...{ arrivals, ratePerSecond, requests, errors, utilisation, meanServiceMs },
          ...{ p50Ms: latencyMs.p50, p95Ms: latencyMs.p95, p99Ms: latencyMs.p99 },
          computedP95Ms: computedP95Ms(arrivals, ratePerSecond, meanServiceMs),
          latenessMs,
        });
        tell(`${arrivals}, ${String(ratePerSecond)}/s: p95 ${latencyMs.p95.toFixed(1)} ms`);
      }
    }
    return {
      record: { slots: SLOTS, serviceMs: SERVICE_MS, seconds, k6: version, rows },
      sentence: `${String(rows.length)} loads`,
    };
  },
} satisfies Study;
