// The same request against n8n and against what it is built on; and whether a planted limit is named.
import { shareInterval } from '../../../cli/src/analysis/statistics/statistics';
import { limitName } from '../../../cli/src/analysis/limits/table';
import type { Limit, LimitedBy } from '../../../cli/src/record/run-record';
import {
  link,
  lowerMedian,
  ms,
  number,
  outOf,
  perSecond,
  readJson,
  share,
  tableOf,
} from '../records';
import type { StudyPage } from '../study-page';
import { cellsOf, disturbance, isQuiet, otherCores, rateOf, sweepLink, sweepOf } from '../sweeps';

const SWEEP = sweepOf('limits', 'limits');
type Cell = Record<string, string | number>;
const runs =
  (pattern: RegExp) =>
  ({ command }: Cell) =>
    pattern.test(String(command ?? ''));
const KINDS: [string, (cell: Cell) => boolean][] = [
  ['a bare server of Node.js', runs(/bare\.(mjs|cjs)/)],
  ['Bull: enqueue, work, return', runs(/bull\.(mjs|cjs)/)],
  ['PostgreSQL: the statements of one execution', runs(/postgresql\.(mjs|cjs)/)],
  ['n8n 0.221.2, one process for all, SQLite', ({ n8n }) => n8n === '0.221.2'],
  [
    'n8n 2.41.1, regular mode, PostgreSQL',
    ({ mode, n8n }) => mode === 'regular' && n8n === undefined,
  ],
  ['n8n 2.41.1, queue mode, one worker', ({ mode }) => mode === 'queue'],
];
const [BARE, BULL, POSTGRESQL, LEGACY] = KINDS.map(([name]) => name);

function rows() {
  const cells = cellsOf(SWEEP).filter(({ outcome }) => outcome !== 'invalid');
  return KINDS.map(([name, isIt]) => {
    const same = cells.filter(({ cell }) => isIt(cell));
    const of = (figure: (cell: (typeof cells)[number]) => number | null): number =>
      lowerMedian(same.map((one) => figure(one) ?? NaN));
    return {
      name,
      rate: of(rateOf),
      p95Ms: of(({ figures }) => figures.p95Ms),
      cpuMs: of(({ figures }) => figures.cpuMillisecondsPerRequest),
      // The server that works there is that of an n8n beside it: it cannot be told from other work.
      others:
        name === POSTGRESQL ? null : Math.max(...same.map(({ record }) => otherCores(record))),
    };
  });
}
const othersIn = (all: ReturnType<typeof rows>): number =>
  Math.max(...all.map(({ others }) => others ?? 0));
const rateAt = (all: ReturnType<typeof rows>, name: string | undefined): number =>
  all.find((row) => row.name === name)?.rate ?? NaN;

function answer() {
  const all = rows();
  const queue = all.at(-1)?.rate ?? NaN;
  const max = othersIn(all);
  const conditions = isQuiet({ others: max })
    ? 'In'
    : `As an order of magnitude, because other programs used up to ${number(max)} cores: in`;
  return {
    sentence: `${conditions} queue mode, n8n reaches ${share(queue / rateAt(all, BULL))} of the job rate of Bull alone, and ${share(queue / rateAt(all, POSTGRESQL))} of the rate that PostgreSQL alone reaches with the same statements.`,
    ours: `${perSecond(queue)} of ${perSecond(rateAt(all, BARE))} of a bare server`,
  };
}

/** The limit that n8n comes closest to, and how close in each of its runs. */
export function nearestLimit(): string {
  const all = rows();
  const each = cellsOf(SWEEP)
    .filter(({ outcome, cell }) => outcome !== 'invalid' && cell['mode'] === 'queue')
    .map((one) => rateOf(one) ?? NaN);
  const limits = [
    { name: 'Bull', rate: rateAt(all, BULL) },
    { name: 'PostgreSQL', rate: rateAt(all, POSTGRESQL) },
  ];
  const { name, rate } = limits.reduce((a, b) => (a.rate < b.rate ? a : b));
  const other = limits.find((one) => one.name !== name)?.name ?? '';
  return `In queue mode, n8n reaches ${share((all.at(-1)?.rate ?? NaN) / rate)} (${share(Math.min(...each) / rate)} to ${share(Math.max(...each) / rate)}) of the rate of ${name} alone, and a smaller share of the rate of ${other} alone.`;
}

function sameRequest(): string {
  const all = rows();
  const of = (limit: string | undefined) => (row: (typeof all)[number]) =>
    share(row.rate / rateAt(all, limit));
  return `## The same request, by n8n and by what it is built on

16 clients call the workload last-node, or get the same response from a server that does one part of the work alone. This server is one process of Node.js, Bull that carries each request to a worker and back, or PostgreSQL with the statements of one execution. Today's n8n has the default profile, the legacy
one its own settings. CPU per request is without the stores. ${disturbance(othersIn(all))}

${tableOf(all, {
  what: ({ name }) => name,
  'expected responses': ({ rate }) => perSecond(rate),
  p95: ({ p95Ms }) => ms(p95Ms),
  'CPU per request': ({ cpuMs }) => ms(cpuMs),
  'of the bare server': of(BARE),
  'of Bull': of(BULL),
  'of PostgreSQL': of(POSTGRESQL),
  'of legacy n8n': of(LEGACY),
})}

${sweepLink(SWEEP)}`;
}

export const limits: StudyPage = {
  study: 'limits',
  answer,
  parts: [sameRequest],
};

const PLANTED = 'studies/planted-limits/results/record.json';
interface Planted {
  rows: Limit[];
  cases: { what: string; limit: Limit; isRight: boolean; limitedBy: LimitedBy }[];
}
const planted = (): Planted => readJson<Planted>(PLANTED);

export function namedLimits(): string {
  const { cases } = planted();
  return outOf(cases.filter(({ isRight }) => isRight).length, cases.length);
}

export function namedLimitsInterval(): string {
  const { cases } = planted();
  const { low, high } = shareInterval(cases.filter(({ isRight }) => isRight).length, cases.length);
  return `${share(low)} to ${share(high)}`;
}

function plantedPart(): string {
  const { rows: limits, cases } = readJson<Planted>(PLANTED);
  const planted = new Set(cases.map(({ limit }) => limitName(limit)));
  const others = limits.map(limitName).filter((row) => !planted.has(row));
  return `## One limit at a time

A run under each planted limit was asked what limited it; the record has the figures by which it was named, and the next limit.

${tableOf(cases, {
  planted: ({ what }) => what,
  'was named': ({ limit, limitedBy }) =>
    limitName(limitedBy.limit) === limitName(limit)
      ? limitName(limit)
      : `**${limitName(limitedBy.limit)}** instead of ${limitName(limit)}`,
})}

The table of limits has ${number(limits.length)} rows. The following rows have no case here and are tested with samples only:

${others.map((row) => `- ${row}`).join('\n')}

${link(PLANTED)}`;
}

export const plantedLimits: StudyPage = {
  study: 'planted-limits',
  answer: () => ({ sentence: `In ${namedLimits()} cases in which a limit was planted.` }),
  parts: [plantedPart],
};
