// What the settings decide that a fault is about: each with the values that were drilled (studies/drill-settings).
import { readdirSync } from 'node:fs';
import { parse } from 'yaml';
import { PARTS, SETTINGS } from '../../../studies/drill-settings/parts.mjs';
import {
  drainOf,
  grouped,
  linksOf,
  lostOf,
  othersOf,
  secondsOf,
  slowestOf,
  timesOf,
  total,
} from './drill-cells.mjs';
import { has, read, readJson, root, table } from './records.mjs';

const FOLDER = 'studies/drill-settings/results/parts/';

const measured = () =>
  has(FOLDER)
    ? readdirSync(new URL(FOLDER, root))
        .filter((name) => name.endsWith('.json'))
        .map((name) => ({ path: `${FOLDER}${name}`, ...readJson(`${FOLDER}${name}`) }))
    : [];

const { recovery, redis, worker } = parse(read('charts/n8n-tuned/values.yaml'));

/** What a table calls a setting, what its values are, and which one the chart has. */
const TOLD = {
  locks: {
    title: 'The locks of jobs',
    values: 'lock, renewal, look (s)',
    about: `A worker renews the lock of each of its jobs; where a lock has run out, n8n's next looks for stalled jobs find it and fail
the execution. Short locks tell of a dead worker sooner, and call one that only stopped for a moment dead. The variables are
\`QUEUE_WORKER_LOCK_DURATION\`, \`QUEUE_WORKER_LOCK_RENEW_TIME\` and \`QUEUE_WORKER_STALLED_INTERVAL\`; 60, 10 and 30 s are n8n's own.
The chart keeps them: a caller who waits for a dead worker gets an error either way, and where it is enabled recovery brings back what was lost.`,
  },
  guard: {
    title: 'The worker guard',
    values: '`worker.guardSeconds`',
    about: `How long jobs wait for a worker that has lost Redis silently until the guard ends it. \`restart-redis\` and \`stop-redis\` show
whether it ends workers that have not lost it: in \`stop-redis\` n8n ended itself, after 10 s. The chart has ${worker.guardSeconds} s.`,
  },
  timeout: {
    title: 'How long n8n waits for Redis',
    values: '`QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD` (s)',
    about: `After so long without Redis a process of n8n ends, and is started again. 10 s are n8n's own. While it waits, so do its callers;
the chart waits ${redis.outageSeconds} s (\`redis.outageSeconds\`).`,
  },
  grace: {
    title: 'The grace of a worker',
    values: '`N8N_GRACEFUL_SHUTDOWN_TIMEOUT` (s)',
    about: `How long a worker that is to end may finish what it has begun, for work that takes 45 s. 30 s are n8n's own, 300 s are those of
the chart (\`shutdown.timeoutSeconds\`), which keeps them.`,
  },
  age: {
    title: 'The age at which recovery retries',
    values: 'age (s)',
    about: `Recovery leaves alone what gave its last sign of life more recently. Too soon would run again what n8n still runs, or is about
to queue. Of these ages none did. The chart has ${recovery.ageSeconds} s: n8n needs up to that long to notice that a worker died, the time of a lock and
four looks.`,
  },
};

const faultOf = ({ fault, lasts }) => (lasts === undefined ? fault : `${fault}, ${lasts} s`);

/** Of workers that the guard, or n8n itself, has ended; older records do not have them. */
const endedOf = (drills) =>
  drills
    .map(
      ({ restarts }) => restarts?.filter(({ text }) => /^worker\S* ended/.test(text)).length ?? '?',
    )
    .join(', ');

const rowOf = (drills) => [
  drills[0].value.join(', '),
  ...[faultOf(drills[0]), linksOf(drills)],
  total(drills.map(({ drill }) => drill.ledger.sent)),
  lostOf(drills.map(({ drill }) => drill.ledger)),
  othersOf(drills) || 'none',
  timesOf(
    drills.map((one) => secondsOf(one, 'detectSeconds')),
    'no error',
  ),
  timesOf(
    drills.map((one) => secondsOf(one, 'recoverSeconds')),
    'not within the drill',
  ),
  timesOf(drills.map(drainOf), 'not within the drill'),
  timesOf(drills.map(slowestOf), 'none'),
  endedOf(drills),
];

const HEAD = [
  ...['fault', 'drills', 'sent', 'lost, of those exposed', 'every other class'],
  ...['first error after', 'met the SLO again after', 'backlog worked off after'],
  ...['slowest expected response', 'workers that ended, by drill'],
];

function sectionOf(setting, records) {
  const { title, values, about } = TOLD[setting];
  const cases = [...grouped(records, ({ value, fault, lasts }) => [value, fault, lasts].join())];
  return `### ${title}

${about}

${table(
  [values, ...HEAD],
  cases.map(([, drills]) => rowOf(drills)),
)}
`;
}

export function settings(records = measured()) {
  if (records.length === 0) return '';
  const byName = new Map(records.map((record) => [record.name, record]));
  const inOrder = PARTS.filter(({ name }) => byName.has(name)).map(({ name }) => byName.get(name));
  const left = PARTS.length - inOrder.length;
  return `
## The settings that decide what a fault costs

${inOrder.length} drills of [another plan](../studies/drill-settings/parts.mjs), on processes, with the chart's defaults of that day but for the one setting, so before these results changed them (each record has its command); ${left === 0 ? 'none is missing' : `${left} have not been measured yet`}.

${Object.keys(SETTINGS)
  .map((setting) => [setting, inOrder.filter((record) => record.setting === setting)])
  .filter(([, of]) => of.length > 0)
  .map(([setting, of]) => sectionOf(setting, of))
  .join('\n')}`;
}
