// Records how a real n8n answers around its capacity, request by request: what the search is tuned on.
//   make build && node studies/search-traces/record.mjs last-node regular      about 6 minutes, on a quiet machine
// A cold closed loop (warm-up, and about how much it does), a staircase of an open loop, a closed loop again (drift).
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { baseline, closedLoop, openLoop, untilIdle } from './generator.mjs';
import { recordsOf } from '../archive.mjs';

const CLIENTS = 8;
const COLD_SECONDS = 40;
const STEP_SECONDS = 25;
const LAST_SECONDS = 15;
/** Steps of the staircase as shares of what the closed loop did when warm. */
const STEPS = [0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 1, 1.05];

const WORKLOADS = {
  'last-node': {
    path: '/webhook/load-last-node',
    isExpected: (body) => 'headers' in JSON.parse(body),
  },
  items: { path: '/webhook/load-items', isExpected: (body) => JSON.parse(body).length === 100 },
  expressions: {
    path: '/webhook/load-expressions',
    isExpected: (body) => JSON.parse(body).sum === 15,
  },
};
const MODES = { regular: [], queue: ['--mode', 'queue', '--workers', '1'] };

const [workload, mode] = process.argv.slice(2);
if (!(workload in WORKLOADS) || !(mode in MODES)) {
  console.error(
    `say a workload (${Object.keys(WORKLOADS).join(', ')}) and a mode (${Object.keys(MODES).join(', ')})`,
  );
  process.exit(2);
}

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const name = `search-trace-${workload}-${mode}`;

function command(...args) {
  const { status, stdout } = spawnSync(process.execPath, [path('../../cli/dist/cli.js'), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`n8n-tuned ${args.join(' ')} ended with ${String(status)}`);
  return stdout;
}

const up = JSON.parse(
  command('up', '--name', name, '--json', '--workload', workload, ...MODES[mode]),
);
try {
  const { path: request, isExpected } = WORKLOADS[workload];
  const expected = (body) => {
    try {
      return isExpected(body);
    } catch {
      return false;
    }
  };
  const target = { url: `${up.baseUrl}${request}`, isExpected: expected };
  console.log(`== ${workload}, ${mode}: cold`);
  const cold = await closedLoop({ ...target, clients: CLIENTS, seconds: COLD_SECONDS });
  const warm = cold.answeredAtMs.filter((at) => at >= 500 * COLD_SECONDS).length;
  const perSecond = warm / (COLD_SECONDS / 2);
  const baselineMs = await baseline(target);
  console.log(
    `${perSecond.toFixed(1)}/s with ${CLIENTS} clients, ${baselineMs.toFixed(1)} ms alone`,
  );
  const steps = [];
  for (const share of STEPS) {
    const rested = await untilIdle({ ...target, baselineMs });
    const ratePerSecond = Number((share * perSecond).toPrecision(3));
    const step = await openLoop({ ...target, ratePerSecond, seconds: STEP_SECONDS });
    steps.push({ rested, ...step });
    const inOrder = step.latencyMs.filter((ms) => ms !== null).sort((a, b) => a - b);
    const p95 = inOrder[Math.ceil(0.95 * inOrder.length) - 1];
    const missing = step.latencyMs.length - inOrder.length;
    console.log(`${ratePerSecond}/s: p95 ${p95} ms, ${missing} without the expected response`);
  }
  await untilIdle({ ...target, baselineMs });
  const last = await closedLoop({ ...target, clients: CLIENTS, seconds: LAST_SECONDS });
  const record = {
    about:
      'Written by studies/search-traces/record.mjs; latencies in ms from when a request was due.',
    recordedAt: new Date().toISOString(),
    workload,
    mode,
    versions: up.versions,
    machine: { cores: cpus().length, cpu: cpus()[0]?.model ?? 'unknown' },
    baselineMs,
    cold,
    steps,
    last,
  };
  recordsOf('search-traces').write(`${workload}-${mode}`, record);
} finally {
  command('down', name);
}
