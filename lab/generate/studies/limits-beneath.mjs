// The same request against n8n and against what it is built on: each figure of n8n as a share of its limit.
import { link, number, table } from '../records.ts';
import { cellsOf, conditionsText, isQuiet, otherCores, recordOf, sweepIn } from './study.mjs';

const NAME = 'limits';
const KINDS = [
  ['a bare server of Node.js', ({ command }) => /bare\.mjs/.test(command)],
  ['Bull: enqueue, work, return', ({ command }) => /bull\.mjs/.test(command)],
  ['PostgreSQL: the statements of one execution', ({ command }) => /postgresql\.mjs/.test(command)],
  ['n8n 0.221.2, one process for all, SQLite', ({ n8n }) => n8n === '0.221.2'],
  [
    'n8n 2.41.1, regular mode, PostgreSQL',
    ({ mode, n8n }) => mode === 'regular' && n8n === undefined,
  ],
  ['n8n 2.41.1, queue mode, one worker', ({ mode }) => mode === 'queue'],
];
const LIMITS = KINDS.slice(0, 4).map(([name]) => name);
const [BARE, BULL, POSTGRESQL, LEGACY] = LIMITS;
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];

function rows() {
  const folder = recordOf(NAME);
  if (folder === null) return [];
  const cells = cellsOf(sweepIn(folder));
  return KINDS.flatMap(([name, isIt]) => {
    const same = cells.filter(({ cell, outcome, record }) => {
      const isMeasured = record !== null && outcome !== 'invalid';
      return isMeasured && isIt(cell);
    });
    const of = (figure) => median(same.map(figure));
    return same.length === 0
      ? []
      : [
          {
            name,
            rate: of(({ figures }) => figures.achievedPerSecond),
            p95Ms: of(({ figures }) => figures.p95Ms),
            cpuMs: of(({ figures }) => figures.cpuMillisecondsPerRequest),
            // The server that works there is that of an n8n beside it: it cannot be told from other work.
            others:
              name === POSTGRESQL
                ? null
                : Math.max(...same.map(({ record }) => otherCores(record))),
          },
        ];
  });
}

const othersIn = (all) => Math.max(...all.map(({ others }) => others ?? 0));
const rateOf = (all, name) => all.find((row) => row.name === name)?.rate ?? null;
const percent = (value, of) =>
  value === null || of === null ? '-' : `${number((100 * value) / of)}%`;

function answer() {
  const all = rows();
  const queue = all.at(-1);
  const shares = [
    [BULL, 'what Bull alone carries'],
    [POSTGRESQL, 'what PostgreSQL alone sustains of its statements'],
  ]
    .filter(([limit]) => rateOf(all, limit) !== null)
    .map(([limit, words]) => `${percent(queue.rate, rateOf(all, limit))} of ${words}`);
  const most = othersIn(all);
  const conditions = isQuiet({ others: most })
    ? 'In'
    : `As an order of magnitude, beside other work that used up to ${number(most)} cores: in`;
  return {
    sentence: `${conditions} queue mode n8n responds to ${shares.join(', and to ')}.`,
    ours: `${number(queue.rate)}/s of ${number(rateOf(all, BARE))}/s of a bare server`,
  };
}

function part() {
  const all = rows();
  if (all.length === 0) return '';
  const folder = recordOf(NAME);
  return `## The same request, by n8n and by what it is built on

16 clients call the workload last-node, or get the same response from a server that does one part of the work alone: one
process of Node.js that responds; one that has Bull carry each request to a worker in another process and back; one that
sends PostgreSQL the statements of one execution, as a real n8n sent them, over 8 connections. Today's n8n runs with the
default profile, the legacy one with its own settings. ${conditionsText(folder)}

${table(
  [
    'what',
    'expected responses',
    'p95',
    'CPU per request',
    ...['of the bare server', 'of Bull', 'of PostgreSQL', 'of legacy n8n'],
    'cores used by other work',
  ],
  all.map((row) => [
    row.name,
    `${number(row.rate)}/s`,
    `${number(row.p95Ms)} ms`,
    `${number(row.cpuMs)} ms`,
    ...[BARE, BULL, POSTGRESQL, LEGACY].map((limit) => percent(row.rate, rateOf(all, limit))),
    number(row.others),
  ]),
)}

![Expected responses of each](studies/${NAME}/${NAME}.svg)

CPU per request is that of all processes that respond, their stores apart; that of the server of PostgreSQL has an idle n8n
in it. The load generator shares the two cores with all of them. Other work includes this command, which reads a line for
each response.${isQuiet({ others: othersIn(all) }) ? '' : ' It used so much that the ratios are orders of magnitude.'}

${link(`${sweepIn(folder)}/sweep.json`)}, \`n8n-tuned study ${NAME}\``;
}

const plots = () => {
  const all = rows();
  return all.length === 0
    ? []
    : [
        {
          ...{
            kind: 'bar',
            id: NAME,
            title: 'The same request, by n8n and by what it is built on',
          },
          unit: 'expected responses per second',
          bars: all.map(({ name, rate }) => ({ label: name, value: rate })),
        },
      ];
};

export const limitsBeneath = { answer, part, plots };
