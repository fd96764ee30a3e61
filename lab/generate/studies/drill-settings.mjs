// What the settings decide that a fault is about: each with the values that were drilled (studies/drill-settings).
import { parse } from 'yaml';
import { PARTS, SETTINGS } from '../../../studies/drill-settings/parts.mjs';
import { grouped, linksOf, OUTCOME_HEAD, outcomeCells, recordsIn, total } from './drill-cells.mjs';
import { read, table } from '../records.ts';

const { database, recovery, redis, worker } = parse(read('charts/n8n-tuned/values.yaml'));

/** What a table calls a setting, what its values are, and which one the chart has. */
const TOLD = {
  locks: {
    title: 'The locks of jobs',
    values: 'lock, renewal, check (s)',
    about: `A worker renews the lock of each of its jobs. n8n checks for jobs whose lock has run out, and fails their executions. With
shorter locks it finds a dead worker sooner, but it also fails the jobs of a worker that was only paused and would
still have finished them. The variables are \`QUEUE_WORKER_LOCK_DURATION\`, \`QUEUE_WORKER_LOCK_RENEW_TIME\` and \`QUEUE_WORKER_STALLED_INTERVAL\`; 60, 10 and 30 s are n8n's own.
The chart keeps them: a caller who waits for a dead worker gets an error either way, and recovery, if you enable it, retries what was lost.`,
  },
  guard: {
    title: 'The worker guard',
    values: '`worker.guardSeconds`',
    about: `The guard ends a worker that has lost Redis silently, after jobs have waited for so long. \`restart-redis\` and \`stop-redis\` show
whether it ends workers that have not lost it: in \`stop-redis\` n8n ended itself, after 10 s. The chart has ${worker.guardSeconds} s.`,
  },
  timeout: {
    title: 'How long n8n waits for Redis',
    values: '`QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD` (s)',
    about: `After so long without Redis a process of n8n ends, and is started again. 10 s are n8n's own. While it waits, so do its callers;
the chart waits ${redis.outageSeconds} s (\`redis.outageSeconds\`).`,
  },
  reconnect: {
    title: 'How long n8n waits for PostgreSQL',
    values: '`DB_RECOVERY_BACKOFF_MAX_MS` (s)',
    about: `A process of n8n that has lost PostgreSQL tries to reach it again: after 1 s, then it waits twice as long each time, up to this
limit. n8n's own limit is 30 s, so a process can be without PostgreSQL for 30 s after it is back. A webhook processor refuses
requests meanwhile. A worker takes jobs and fails each at once, if webhook processors are back earlier; what that loses shows
in \`stop-postgres\` [on Kubernetes](studies/drills/README.md#on-kubernetes). The chart has ${database.reconnectSeconds} s (\`database.reconnectSeconds\`).`,
  },
  schedules: {
    title: 'Where n8n keeps schedules',
    values: 'schedules in',
    about: `By itself n8n keeps schedules in the memory of main. \`executions.durableSchedules\` of the chart (n8n 2.41 or newer, off by
default) keeps them in the database, so that what was due while main was down is executed late.`,
  },
  grace: {
    title: 'The grace of a worker',
    values: '`N8N_GRACEFUL_SHUTDOWN_TIMEOUT` (s)',
    about: `A worker that is to end has so long to finish what it has begun, here work that takes 45 s. 30 s are n8n's own; the chart has
300 s (\`shutdown.timeoutSeconds\`).`,
  },
  age: {
    title: 'The age at which recovery retries',
    values: 'age (s)',
    about: `Recovery leaves alone what gave its last sign of life more recently. If it retried too soon, it would run again
what n8n still runs or is about to queue; with none of these ages it did, and what is executed more than once below was begun by
the worker that died. The chart has ${recovery.ageSeconds} s: n8n may need so long to notice that a worker died, its lock (60 s) and four checks (30 s each).`,
  },
};

const faultOf = ({ fault, lasts }) => (lasts === undefined ? fault : `${fault}, ${lasts} s`);

/** How many workers ended, of whatever cause; older records do not tell. */
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
  ...outcomeCells(drills),
  endedOf(drills),
];

const HEAD = [...['fault', 'drills', 'sent', ...OUTCOME_HEAD, 'workers that ended, by drill']];

/** The largest first; what is no number as the plan has it. */
const byValue = ([a], [b]) => b.value[0] - a.value[0] || 0;

function sectionOf(setting, records) {
  const { title, values, about } = TOLD[setting];
  const cases = [...grouped(records, ({ value, fault, lasts }) => [value, fault, lasts].join())];
  return `### ${title}

${about}

${table(
  [values, ...HEAD],
  cases
    .map(([, drills]) => drills)
    .toSorted(byValue)
    .map(rowOf),
)}
`;
}

export function settings(records = recordsIn('studies/drill-settings/results/parts/')) {
  if (records.length === 0) return '';
  const byName = new Map(records.map((record) => [record.name, record]));
  const inOrder = PARTS.filter(({ name }) => byName.has(name)).map(({ name }) => byName.get(name));
  const left = PARTS.length - inOrder.length;
  return `
## The settings that decide what a fault costs

${inOrder.length} drills of [another plan](studies/drill-settings/parts.mjs), on processes; ${left === 0 ? 'none is missing' : `${left} have not been measured yet`}. Except for the one setting, n8n had the defaults that the chart had then, some of which these results have changed since; each record has its command. A \`?\` stands where it was not recorded which workers ended.

${Object.keys(SETTINGS)
  .map((setting) => [setting, inOrder.filter((record) => record.setting === setting)])
  .filter(([, of]) => of.length > 0)
  .map(([setting, of]) => sectionOf(setting, of))
  .join('\n')}`;
}
