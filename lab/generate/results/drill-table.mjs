// What was lost in drills: each fault in each configuration, over its repeats (studies/drills/measure.mjs).
import { readdirSync } from 'node:fs';
import {
  CONFIGURATIONS,
  FAULTS,
  firstOf,
  isNeeded,
  PARTS,
  REPEATS,
} from '../../../studies/drills/parts.mjs';
import { compiled } from '../compiled.mjs';
import { causesOf } from './drill-causes.mjs';
import { has, number, readJson, root, table } from './records.mjs';

const FOLDER = 'studies/drills/results/parts/';

const { LEDGER_WORDS } = await compiled(`export { LEDGER_WORDS } from './plan/ledger-class';`);
/** As the report of a drill calls them; `once` has a column of its own. */
export const WORDS = Object.fromEntries(
  Object.entries(LEDGER_WORDS)
    .filter(([name]) => name !== 'once')
    .map(([name, { title }]) => [name, title]),
);

export const measured = () =>
  has(FOLDER)
    ? readdirSync(new URL(FOLDER, root))
        .filter((name) => name.endsWith('.json'))
        .map((name) => ({ path: `${FOLDER}${name}`, ...readJson(`${FOLDER}${name}`) }))
    : [];

/** Those of one fault on one target in one configuration, in the order of the plan. */
function groupsOf(records) {
  const order = FAULTS.map(({ name }) => name);
  const groups = grouped(records, ({ fault, target, configuration }) =>
    [target, fault, configuration].join(' '),
  );
  const place = ({ target, fault, configuration }) => [
    ['process', 'kubernetes'].indexOf(target),
    order.indexOf(fault),
    Object.keys(CONFIGURATIONS).indexOf(configuration),
  ];
  return [...groups.values()]
    .map((drills) => ({ ...drills[0], drills }))
    .toSorted((a, b) => {
      const [one, other] = [place(a), place(b)];
      const at = one.findIndex((value, index) => value !== other[index]);
      return at === -1 ? 0 : one[at] - other[at];
    });
}

function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

const total = (values) => values.reduce((sum, value) => sum + value, 0);
const least = (values) => Math.min(...values);
const most = (values) => Math.max(...values);
const perDrill = (values) =>
  values.length === 1
    ? ''
    : ` (${least(values) === most(values) ? least(values) : `${least(values)} to ${most(values)}`} per drill)`;

/** With 95 % confidence, after none of so many. */
const boundOfNone = (requests) => number(100 * (1 - 0.05 ** (1 / requests)));

function lostOf(drills) {
  const lost = drills.map(({ drill }) => drill.ledger.lost);
  const exposed = total(drills.map(({ drill }) => drill.ledger.exposed));
  if (exposed === 0) return '-';
  if (total(lost) === 0) return `0 of ${exposed}: at most ${boundOfNone(exposed)} %`;
  return `${total(lost)} of ${exposed}${perDrill(lost)}`;
}

function othersOf(drills) {
  const cells = Object.entries(WORDS).flatMap(([name, words]) => {
    const counts = drills.map(({ drill }) => drill.ledger.classes[name].requests);
    return total(counts) === 0 ? [] : [`${total(counts)} ${words}${perDrill(counts)}`];
  });
  const twice = total(drills.map(({ doneTwice }) => doneTwice));
  const repeated = total(drills.map(({ drill }) => drill.ledger.classes.repeated.requests));
  return [
    ...cells,
    ...(repeated === 0 ? [] : [`of those that were executed more than once, ${twice} to the end`]),
  ].join('; ');
}

/** Of times that may be missing: `none` says what that means. */
function timesOf(times, none) {
  const there = times.filter((time) => time !== null);
  if (there.length === 0) return none;
  const range =
    least(there) === most(there)
      ? `${number(there[0])} s`
      : `${number(least(there))} to ${number(most(there))} s`;
  return there.length === times.length
    ? range
    : `${range}; ${times.length - there.length}: ${none}`;
}

function verdictsOf(drills) {
  const count = (outcome) => drills.filter(({ drill }) => drill.verdict.outcome === outcome).length;
  return [
    ['PASS', count('pass')],
    ['FAIL', count('fail')],
  ]
    .filter(([, times]) => times > 0)
    .map(([word, times]) => (drills.length === 1 ? word : `${times} ${word}`))
    .join(', ');
}

const rowOf = ({ fault, configuration, drills }) => [
  fault,
  CONFIGURATIONS[configuration],
  drills
    .map(
      ({ path, atOnce }, index) => `[${index + 1}](../${path})${atOnce === undefined ? '' : '\\*'}`,
    )
    .join(' '),
  total(drills.map(({ drill }) => drill.ledger.sent)),
  total(drills.map(({ drill }) => drill.ledger.classes.once.requests)),
  lostOf(drills),
  othersOf(drills) || 'none',
  timesOf(
    drills.map(({ drill }) => drill.figures?.detectSeconds ?? null),
    'no error',
  ),
  timesOf(
    drills.map(({ drill }) => drill.figures?.recoverSeconds ?? null),
    'not within the drill',
  ),
  verdictsOf(drills),
];

const HEAD = [
  ...['fault', 'configuration', 'drills', 'sent', 'answered and executed once'],
  ...[
    'lost, of those exposed',
    'every other class',
    'first error after',
    'met the SLO again after',
  ],
  'verdict',
];

export function drillTable(records = measured()) {
  if (records.length === 0) return '';
  const groups = groupsOf(records);
  const first = records[0].drill;
  const { cpu, cores } = first.machine;
  const targets = [...new Set(groups.map(({ target }) => target))];
  return `## Each fault in three configurations

${told(records)} ${first.workload.title} for ${number(first.workload.latencyFloorMs / 1000)} s at ${number(first.ratePerSecond)}/s, two workers and two webhook processors, n8n ${first.versions.n8n}, on ${cores} cores (${cpu}).

- _${CONFIGURATIONS['as-it-comes']}_: without the tuning, the patches and the variables of this kit.
- _${CONFIGURATIONS.defaults}_: with them, the worker guard included.
- _${CONFIGURATIONS.recovery}_: \`n8n-tuned recover --retry\` beside it. It runs what was lost again from its trigger, so what had begun is
  executed more than once; the table says how often its work was completed twice.

If nothing was lost, the upper bound of the share is given as in the report of a drill, over all drills of the row.
${shared(records)}
${targets
  .map(
    (target) => `### On ${target === 'process' ? 'processes' : 'Kubernetes'}

${table(HEAD, groups.filter((group) => group.target === target).map(rowOf))}
`,
  )
  .join('\n')}
${failures(groups)}`;
}

/** How much of the plan there is, and what is not in it. */
function told(records) {
  const byName = new Map(records.map((record) => [record.name, record]));
  const left = PARTS.filter(
    (part) => !byName.has(part.name) && isNeeded(part, byName.get(firstOf(part))),
  );
  return `${records.length} drills of [the plan](../studies/drills/parts.mjs), each kept only when it was valid. A drill that counts anything but
requests that were answered and executed once is run ${REPEATS} times, any other once. ${left.length === 0 ? 'None is missing.' : `Up to ${left.length} have not been measured yet.`}`;
}

/** What is not told of drills that were alone. */
function shared(records) {
  const atOnce = records.flatMap((record) => record.atOnce ?? []);
  return atOnce.length === 0
    ? ''
    : `
${atOnce.length} of these drills, marked with \\*, shared the machine with others, up to ${most(atOnce)} at a time, and while they waited for what their load left
behind, the next ones were started: times may be longer there than alone. What was lost counts all the same, since the
steady phase has to meet its SLO in each of them.
`;
}

/** A promise that was broken in any of the drills, with what was measured in each. */
function failures(groups) {
  const rows = groups.flatMap(({ fault, target, configuration, drills }) => {
    const promises = drills.flatMap(({ drill }) =>
      drill.verdict.promises.filter(({ kept }) => !kept),
    );
    const byText = grouped(promises, ({ promise }) => promise.text);
    return [...byText].map(([text, broken]) => {
      const { cause, prevention } = causesOf({
        ...{ fault, configuration, metric: broken[0].promise.metric },
        classes: Object.keys(WORDS).filter((name) =>
          drills.some(({ drill }) => drill.ledger.classes[name].requests > 0),
        ),
      });
      return [
        ...[fault, target, CONFIGURATIONS[configuration], text],
        [...new Set(broken.map(({ measured: what }) => what))].join('; '),
        ...[cause, prevention],
      ];
    });
  });
  if (rows.length === 0) return '';
  return `### What failed, why, and what would prevent it

Most causes come from reading the code of n8n and Bull and from the counts above, not from an experiment of their own.

${table(['fault', 'target', 'configuration', 'promised', 'measured', 'cause', 'what would prevent it'], rows)}
`;
}
