// This chart against the official and the community chart, on one cluster, in turns, with equal resources
// and stores. The other charts come from their public repositories:
//
//   git clone https://github.com/n8n-io/n8n-hosting /tmp/official
//   git clone https://github.com/community-charts/helm-charts /tmp/community
//   make build cluster-up
//   lab/cluster/cluster exec node studies/charts/measure.mjs regular \
//     --official /tmp/official/charts/n8n --community /tmp/community/charts/n8n
//
// and the same with `queue`.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import * as on from './contenders.mjs';
import { recordsOf } from '../archive.mjs';

const CLIENTS = 8;
const WARMUP_SECONDS = 45;
const RESTARTS = 3;

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    official: { type: 'string' },
    community: { type: 'string' },
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '15' },
  },
});
const [mode] = positionals;
if (!['regular', 'queue'].includes(mode) || !given.official || !given.community) {
  console.error('say regular or queue, and the charts: see the first lines of this file');
  process.exit(2);
}
const { official, community } = given;
const rounds = Number(given.rounds);
const seconds = Number(given.seconds);

const contenders = [
  { name: 'official', chart: official, service: 'n8n-main', port: 5678 },
  { name: 'community', chart: community, port: 5678 },
  { name: 'tuned' },
  { name: 'tuned-throughput' },
].map((each) => on.contender({ ...each, mode }));

const charts = Object.fromEntries(
  contenders.map(({ name, version }) => [name, { version, runs: [], secondsToFirstReply: [] }]),
);
const loadAverageAtStart = loadavg()[0];

/** After every round, so that what was measured outlives an interruption. */
function keep() {
  const record = { when: new Date().toISOString(), mode, workload: on.WORKLOAD };
  const whole = { ...record, clients: CLIENTS, seconds, loadAverageAtStart, charts };
  recordsOf('charts').write(mode, whole);
}

try {
  for (const contender of contenders) {
    console.log(`${contender.name}: install`);
    await on.install(contender);
    // V8 compiles what it has seen often: the first requests tell of the start, not of the chart.
    on.load(contender, { clients: CLIENTS, seconds: WARMUP_SECONDS });
  }
  for (let round = 0; round < rounds; round += 1) {
    // Forwards, then backwards, so that a steady drift of the machine cancels out.
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const figures = on.load(contender, { clients: CLIENTS, seconds });
      charts[contender.name].runs.push(figures);
      console.log(
        `${contender.name}: ${figures.ratePerSecond.toFixed(1)}/s, p95 ${Math.round(figures.p95Ms)} ms`,
      );
    }
    keep();
  }
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    for (const contender of contenders) {
      const waited = await on.secondsToFirstReply(contender);
      charts[contender.name].secondsToFirstReply.push(waited);
      console.log(
        `${contender.name}: first expected response ${waited} s after its pods were deleted`,
      );
    }
    keep();
  }
} finally {
  on.uninstall(contenders);
}
