// A process for each execution, or one for all, in n8n before 1.0: with the published limits, on this machine, in pods, and
// without limits.
import type { RunRecord } from '../../../cli/src/record/run-record';
import {
  link,
  median,
  mib,
  ms,
  number,
  outOf,
  perSecond,
  readJson,
  recordsNamed,
  share,
  tableOf,
  times,
} from '../records';
import type { Answer, StudyPage } from '../study-page';
import {
  cellsOf,
  disturbance,
  publishedAt,
  publishedOf,
  roleOf,
  sum,
  sweepLink,
  sweepOf,
  worstOthers,
} from '../sweeps';

const NAME = 'own-main';
const SWEEP = sweepOf(NAME, 'own-against-main');
const PODS = 'studies/own-main-pods/results';
const PROCESSES = { own: 'own', main: 'main' };
const WORKLOADS = { async: 'at once', 'wait-5s': 'at the end' };
type Process = keyof typeof PROCESSES;
type Workload = keyof typeof WORKLOADS;
const KINDS = (Object.keys(WORKLOADS) as Workload[]).flatMap((workload) =>
  (Object.keys(PROCESSES) as Process[]).map((process) => ({ process, workload })),
);

interface Row {
  process: Process;
  workload: Workload;
  runs: RunRecord[];
  path: string;
}

const onThisMachine = (): Row[] => {
  const cells = cellsOf(SWEEP);
  return KINDS.map(({ process, workload }) => {
    const same = cells.filter(
      ({ cell }) => cell['process'] === process && cell['workload'] === workload,
    );
    return { process, workload, path: SWEEP, runs: same.map(({ record }) => record) };
  });
};

/** Keeps the last run of each kind. */
const inPods = (): Row[] =>
  KINDS.flatMap(({ process, workload }) => {
    const path = recordsNamed('run.json', `${PODS}/${process}-${workload}/`).at(-1);
    if (path === undefined) return [];
    return [{ process, workload, path, runs: [readJson<RunRecord>(path)] }];
  });

const of = ({ runs }: Row, figure: (run: RunRecord) => number | null | undefined): number =>
  median(runs.map((run) => figure(run) ?? NaN));
const rate = (row: Row): number => of(row, ({ summary }) => summary.achieved.ratePerSecond);
const sent = (row: Row): number => Math.round(of(row, ({ summary }) => summary.offered.requests));
const failed = (row: Row): number => Math.round(of(row, ({ summary }) => summary.errors.requests));
const find = (rows: readonly Row[], process: Process, workload: Workload = 'async'): Row => {
  const row = rows.find((one) => one.process === process && one.workload === workload);
  if (row === undefined) throw new Error(`${NAME} has no run of ${process} with ${workload}`);
  return row;
};
const ratio = (rows: readonly Row[], workload: Workload = 'async'): number =>
  rate(find(rows, 'main', workload)) / rate(find(rows, 'own', workload));
function answer(): Answer {
  const rows = onThisMachine();
  const own = find(rows, 'own');
  const theirs = publishedAt(NAME, 'main-rate') / publishedAt(NAME, 'own-rate');
  return {
    sentence: `With responses at once and the published limits, one process for all does ${number(ratio(rows))} times as much, and ${number(ratio(inPods()))} times as much in a pod with the published probes. A process per execution fails in ${share(failed(own) / sent(own))} of the requests.`,
    published: `${times(theirs)} requests per second`,
    ours: times(ratio(rows)),
    ratio: number(ratio(rows) / theirs),
  };
}

const COLUMNS = {
  process: ({ process }: Row) => PROCESSES[process],
  responds: ({ workload }: Row) => WORKLOADS[workload],
  'expected responses': (row: Row) => perSecond(rate(row)),
  'CPU per request': ({ runs }: Row) =>
    ms(median(runs.flatMap(({ summary }) => summary.cpuMillisecondsPerRequest ?? []))),
  'failed, of all': (row: Row) => outOf(failed(row), sent(row)),
  'killed for memory': (row: Row) => number(of(row, (run) => roleOf(run, 'main')?.oomKills)),
  'memory, most': (row: Row) => mib(of(row, (run) => roleOf(run, 'main')?.rssPeakMiB)),
};

function limited(): string {
  const rows = onThisMachine();
  const [first] = cellsOf(SWEEP);
  const { clients, durationSeconds } = first?.record.profile ?? {};
  const [own, main] = [find(rows, 'own'), find(rows, 'main')];
  const theirs = publishedOf(NAME).find(({ id }) => id === 'own-failed');
  return `## With the published limits

${number(clients)} clients for ${number(durationSeconds)} s on n8n ${first?.record.versions['n8n'] ?? ''} with ${first?.cell['cpuMillicores'] ?? ''}m of CPU and ${first?.cell['memoryMiB'] ?? ''} MiB, as processes of this machine: with \`own\`, a process for each execution, and with \`main\`, one for all. Medians of the repeats. ${disturbance(worstOthers(cellsOf(SWEEP)))}

${tableOf(rows, {
  ...COLUMNS,
  'main over own': ({ process, workload }) =>
    process === 'main' ? times(ratio(rows, workload)) : '',
})}

Published are ${number(publishedAt(NAME, 'own-rate'))} requests per second with own, ${number(publishedAt(NAME, 'main-rate'))} with main, and ${theirs?.what ?? ''}: ${number(theirs?.value)} ${theirs?.unit ?? ''}.

**Why it differs from what was published.** ${limitOf(main)} in the runs with one process for all. Their rate is that of a core of this machine; the published one is not described. ${limitOf(own)} in those with a process for each
execution. While n8n starts again, most requests get an error at once, and their clients send the next ones, so more fail than were published.

${sweepLink(SWEEP)}`;
}

/** Reads the limit from the verdict of the first run. */
const limitOf = ({ runs: [run] }: Row): string =>
  (run?.verdict.limitedBy.evidence ?? '').replace(/^./, (letter) => letter.toUpperCase());

const pods = (): string => `## In a pod, with the published probes

The same clients and limits in one pod with PostgreSQL, whose liveness probe asks /healthz as published, with the defaults of Kubernetes.

${tableOf(inPods(), {
  ...COLUMNS,
  '': ({ path }) => link(path),
})}

\`lab/cluster/cluster exec ./n8n-tuned study own-main-pods\` repeats it.`;

export const ownMain: StudyPage = {
  study: NAME,
  answer,
  parts: [limited, pods],
};

/** Seconds of the workload wait-5s. */
const WAIT_SECONDS = 5;

function closedLoops(): string {
  const paths = recordsNamed('run.json', 'studies/closed-loop/');
  const runs = paths.map((path) => ({ path, run: readJson<RunRecord>(path) }));
  const n8n = ({ summary }: RunRecord, figure: 'processesPeak' | 'rssPeakMiB'): number =>
    sum(
      summary.roles
        .filter(({ role }) => ['main', 'worker', 'webhook', 'runner'].includes(role))
        .map((one) => one[figure] ?? 0),
    );
  const [{ run: first } = { run: undefined }] = runs;
  const clients = first?.profile.clients ?? NaN;
  return `## Eight clients

${number(clients)} clients that each wait for their response, ${number(first?.profile.durationSeconds)} s, ${first?.workload.title.toLowerCase() ?? ''}. With a function of ${number(WAIT_SECONDS)} s they
cannot get more than ${number(clients / WAIT_SECONDS)} responses per second: more needs responses that come before the function has ended.
Memory was not limited: with a limit, the processes of own do not fit.

${tableOf(runs, {
  topology: ({ path }) => path.split('/').at(-2) ?? '',
  n8n: ({ run }) => run.versions['n8n'] ?? '',
  'expected responses': ({ run }) => perSecond(run.summary.achieved.ratePerSecond),
  'CPU per request': ({ run }) => ms(run.summary.cpuMillisecondsPerRequest),
  'n8n processes, most': ({ run }) => n8n(run, 'processesPeak'),
  'their memory, most': ({ run }) => mib(n8n(run, 'rssPeakMiB')),
  '': ({ path }) => link(path),
})}`;
}

export const closedLoop: StudyPage = {
  study: 'closed-loop',
  parts: [closedLoops],
};
