// What a table of drills says of several drills of the same kind, each with `drill`, its record: cells of its row.
import { LEDGER_WORDS } from '../../../cli/src/features/drill/analysis/ledger-class';
import { has, hrefOf, namesIn, number, readJson } from '../records.ts';

/** As the report of a drill calls them; `once` has a column of its own. */
export const WORDS = Object.fromEntries(
  Object.entries(LEDGER_WORDS)
    .filter(([name]) => name !== 'once')
    .map(([name, { title }]) => [name, title]),
);

export function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

export const total = (values) => values.reduce((sum, value) => sum + value, 0);
const least = (values) => Math.min(...values);
export const most = (values) => Math.max(...values);
const perDrill = (values) =>
  values.length === 1
    ? ''
    : ` (${least(values) === most(values) ? least(values) : `${least(values)} to ${most(values)}`} per drill)`;

/** With 95% confidence, after none of so many. */
const boundOfNone = (requests) => number(100 * (1 - 0.05 ** (1 / requests)));

/**
 * What may still be lost, or be lost already: with it, nothing bounds what is. Of a request without a response that no source
 * knows, n8n's own executions tell that it was never accepted.
 */
const OPEN = ['running', 'unknown'];
const isOpen = (name, { sources }) => name !== 'unknown' || sources.executions === null;

export function lostOf(ledgers) {
  const lost = ledgers.map((ledger) => ledger.lost);
  const exposed = total(ledgers.map((ledger) => ledger.exposed));
  if (exposed === 0) return '-';
  const open = OPEN.flatMap((name) => {
    const requests = total(
      ledgers.filter((ledger) => isOpen(name, ledger)).map(({ classes }) => classes[name].requests),
    );
    return requests === 0 ? [] : [`${requests} ${WORDS[name]}`];
  });
  const told = `${total(lost)} of ${exposed}${total(lost) === 0 ? '' : perDrill(lost)}`;
  if (open.length > 0) return `${told}, and of others it is not known (${open.join(', ')})`;
  return total(lost) === 0 ? `${told}: at most ${boundOfNone(exposed)}%` : told;
}

export const othersIn = (ledgers) =>
  Object.entries(WORDS).flatMap(([name, words]) => {
    const counts = ledgers.map(({ classes }) => classes[name].requests);
    return total(counts) === 0 ? [] : [`${total(counts)} ${words}${perDrill(counts)}`];
  });

function othersOf(drills) {
  const ledgers = drills.map(({ drill }) => drill.ledger);
  const twice = total(drills.map(({ doneTwice }) => doneTwice));
  const repeated = total(ledgers.map(({ classes }) => classes.repeated.requests));
  return [
    ...othersIn(ledgers),
    ...dueTimesOf(drills.flatMap(({ drill }) => drill.schedule ?? [])),
    ...(repeated === 0
      ? []
      : [
          `${twice} of those executed more than once ${twice === 1 ? 'was' : 'were'} completed twice`,
        ]),
  ].join('; ');
}

/** Of a schedule beside the load; nothing where there is none. */
function dueTimesOf(schedules) {
  if (schedules.length === 0) return [];
  const sum = (countOf) => total(schedules.map(countOf));
  const due = sum(({ due: times }) => times);
  return [
    `of ${due} due times of the schedule, ${sum(({ once }) => once)} executed once, ${sum(({ never }) => never.times)} never, ${sum(({ repeated }) => repeated.times)} more than once`,
  ];
}

/** Of times that may be missing: `none` says what that means. */
function timesOf(times, none) {
  const there = times.filter((time) => time !== null);
  if (there.length === 0) return none;
  const [from, to] = [least(there), most(there)].map(number);
  const range = from === to ? `${from} s` : `${from} to ${to} s`;
  const missing = times.length - there.length;
  return missing === 0 ? range : `${range}; ${none} in ${missing} drill${missing === 1 ? '' : 's'}`;
}

export function verdictsOf(drills) {
  const count = (outcome) => drills.filter(({ drill }) => drill.verdict.outcome === outcome).length;
  return [
    ['PASS', count('pass')],
    ['FAIL', count('fail')],
  ]
    .filter(([, times]) => times > 0)
    .map(([word, times]) => (drills.length === 1 ? word : `${times} ${word}`))
    .join(', ');
}

export const linksOf = (drills) =>
  drills
    .map(
      ({ path, atOnce, isOutdated = false }, index) =>
        `[${index + 1}](${hrefOf(path)})${atOnce === undefined ? '' : '\\*'}${isOutdated ? '†' : ''}`,
    )
    .join(' ');

const secondsOf = ({ drill }, name) => drill.figures?.[name] ?? null;
const drainOf = ({ drill }) => drill.figures?.backlog?.drainSeconds ?? null;
const slowestOf = ({ drill }) =>
  typeof drill.figures?.slowestMs === 'number' ? drill.figures.slowestMs / 1000 : null;

/** The records of a folder, which ends with a slash, each with its path. */
export const recordsIn = (folder) =>
  has(folder)
    ? namesIn(folder)
        .filter((name) => name.endsWith('.json'))
        .map((name) => ({ path: `${folder}${name}`, ...readJson(`${folder}${name}`) }))
    : [];

/** What was lost, what else came of the requests, and when: the cells of both tables, under OUTCOME_HEAD. */
export const outcomeCells = (drills) => [
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
];

export const OUTCOME_HEAD = [
  ...['lost, of those exposed', 'every other class', 'first error after'],
  ...['met the SLO again after', 'backlog worked off after', 'slowest expected response'],
];
