// What was lost in drills: each fault in each configuration, over its repeats (studies/drills/measure.mjs).
import { parse } from 'yaml';
import {
  CONFIGURATIONS,
  FAULTS,
  FULL,
  HARMLESS,
  LATER_SCRIPTS,
  isCurrent,
  isNeeded,
  isSlowBeside,
  PARTS,
  REPEATS,
} from '../../../studies/drills/parts.mjs';
import { causesOf } from './drill-causes.mjs';
import {
  grouped,
  linksOf,
  lostOf,
  most,
  OUTCOME_HEAD,
  othersIn,
  outcomeCells,
  recordsIn,
  total,
  verdictsOf,
  WORDS,
} from './drill-cells.mjs';
import { number, read, table } from '../records.ts';

export const measured = () =>
  recordsIn('studies/drills/results/parts/')
    .filter((record) => !isSlowBeside(record))
    .map((record) => ({ ...record, isOutdated: !isCurrent(record) }));

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

const rowOf = ({ fault, configuration, drills }) => [
  ...[fault, CONFIGURATIONS[configuration], linksOf(drills)],
  total(drills.map(({ drill }) => drill.ledger.sent)),
  total(drills.map(({ drill }) => drill.ledger.classes.once.requests)),
  ...outcomeCells(drills),
  verdictsOf(drills),
];

/** Of the controls, all requests count as exposed. */
function controlRowOf({ configuration, drills }) {
  const controls = drills.filter(({ drill }) => drill.control !== null);
  if (controls.length === 0) return [];
  const ledgers = controls.map(({ drill: { control, ledger } }) => ({
    ...control,
    sources: ledger.sources,
    exposed: control.sent,
    lost: control.classes.lost.requests + control.classes['not-executed'].requests,
  }));
  return [
    [
      ...[NO_FAULT, CONFIGURATIONS[configuration], linksOf(controls)],
      total(ledgers.map(({ sent }) => sent)),
      total(ledgers.map(({ classes }) => classes.once.requests)),
      lostOf(ledgers),
      othersIn(ledgers).join('; ') || 'none',
      ...['-', '-', '-', '-', '-'],
    ],
  ];
}

const NO_FAULT = 'no fault';
const HEAD = [
  ...['fault', 'configuration', 'drills', 'sent', 'answered and executed once'],
  ...OUTCOME_HEAD,
  'verdict',
];

const rowsOf = (groups) => [...groups.flatMap(controlRowOf), ...groups.map(rowOf)];

export function drillTable(records = measured()) {
  if (records.length === 0) return '';
  const groups = groupsOf(records);
  const first = records[0].drill;
  const { cpu, cores } = first.machine;
  const targets = [...new Set(groups.map(({ target }) => target))];
  return `## Each fault in three configurations

${told(records)} ${first.workload.title} for ${number(first.workload.latencyFloorMs / 1000)} s at ${number(first.ratePerSecond)}/s, two workers and two webhook processors, n8n ${first.versions.n8n}, on ${cores} cores (${cpu}). In \`redis-loses-data\` it
comes at ${number(FULL.rate)}/s and each worker has only ${FULL.slots} slots, so that jobs wait in Redis when it loses them.
${beforeScripts(records)}
- _${CONFIGURATIONS['as-it-comes']}_: without the tuning, the patches and the variables of this kit.
- _${CONFIGURATIONS.defaults}_: with them, the worker guard included. Processes have the chart's variables and scripts, but not what belongs to
  pods: a memory limit with the heap that follows from it, the pause before the end (\`preStop\`) with its script, and probes
  that restart a container.
- _${CONFIGURATIONS.recovery}_: \`n8n-tuned recover --retry\` beside it. It runs what was lost again from its trigger, or from the node
  whose task runner died, so what had begun is executed more than once; the table says how often its work was completed twice.${recovery(records)}

The SLO, before the fault and after it, is ${first.slo.map(({ text }) => `\`${text}\``).join(' and ')}. Times count from the fault. The time until the SLO was met again is zero
where all requests that were due after the fault met it; those that were open when it came may have failed later. _Exposed_ are
requests that were open when the fault came, or due later. If none of them was lost, the table gives the upper bound of the share
as the report of a drill does, over all drills of the row; not where requests were still running or nothing is known of them. What
each fault was promised to do is in [the promise](docs/drills.md#the-promise).
${controls(records)}${shared(records)}
${targets
  .map(
    (target) => `### On ${target === 'process' ? 'processes' : 'Kubernetes'}

${table(HEAD, rowsOf(groups.filter((group) => group.target === target)))}
`,
  )
  .join('\n')}
${failures(groups)}`;
}

/** How much of the plan there is, and what is not in it. */
function told(records) {
  const current = records.filter(({ isOutdated }) => isOutdated !== true);
  const byName = new Map(current.map((record) => [record.name, record]));
  const recordOf = (name) => byName.get(name);
  const left = PARTS.filter((part) => !byName.has(part.name) && isNeeded(part, recordOf));
  return `${records.length} drills of [the plan](studies/drills/parts.mjs), each kept only when it was valid. How much is lost depends on the moment of
the fault, so each fault is drilled ${REPEATS} times in each configuration. Those that should lose nothing
(${HARMLESS.join(', ')}) are drilled once, until one of their
drills without recovery on a target has lost something, repeated it, or left it running or unknown. Recovery is drilled once
where neither it nor the chart's defaults have done so, since it has little to do there. ${left.length === 0 ? 'None is missing.' : `${left.length} have not been measured yet.`}${outdated(records)}`;
}

function outdated(records) {
  const count = records.filter(({ isOutdated }) => isOutdated).length;
  return count === 0
    ? ''
    : ` ${count} drill${count === 1 ? '' : 's'}, marked with †, had earlier defaults of the chart and count${count === 1 ? 's' : ''} as not measured.`;
}

/** What is not told once all with the chart's scripts are newer. */
function beforeScripts(records) {
  const scripted = records.filter(({ configuration }) => configuration !== 'as-it-comes');
  const counts = LATER_SCRIPTS.map(({ name, since, did }) => {
    const before = scripted.filter(({ drill }) => Date.parse(drill.startedAt) < Date.parse(since));
    return { count: before.length, text: `[\`${name}\`](docs/chart/patches.md#${name}) ${did}` };
  }).filter(({ count }) => count > 0);
  return counts.length === 0
    ? ''
    : `
Of the ${scripted.length} drills with the chart's scripts, ${counts.map(({ count, text }) => `${count} ran before ${text}`).join('; ')}.
`;
}

/** What recovery in a drill and in the chart wait for: it decides when lost work is done. */
function recovery(records) {
  const drilled = records.find(({ drill }) => drill.recovery !== undefined)?.drill.recovery;
  if (drilled === undefined) return '';
  const { ageSeconds, schedule } = parse(read('charts/n8n-tuned/values.yaml')).recovery;
  const everySeconds = 60 * Number(/^\*\/(\d+) /.exec(schedule)?.[1]);
  const later = ageSeconds + everySeconds - drilled.ageSeconds - drilled.everySeconds;
  return ` Here it looks every ${drilled.everySeconds} s and retries what gave its last sign of life
  ${drilled.ageSeconds} s ago; in the chart, every ${everySeconds} s and ${ageSeconds} s ago. So what was lost is done up to ${later} s later there.`;
}

/** What is not told where no drill has one. */
function controls(records) {
  const names = records.filter(({ drill }) => drill.control !== null).map(({ fault }) => fault);
  return names.length === 0
    ? ''
    : `
_${NO_FAULT}_ are the controls of ${[...new Set(names)].join(', ')}, which stand for all faults: the same load on the same n8n, before the fault.
Drills for which n8n is set up in another way (few slots, a small disk, links in front of a store, a schedule) are compared
only with their own steady phase.
`;
}

/** What is not told of drills that were alone. */
function shared(records) {
  const atOnce = records.flatMap((record) => record.atOnce ?? []);
  const beside = records.flatMap((record) => record.beside ?? []);
  const others =
    beside.length === 0
      ? ''
      : ` While ${beside.length} of them ran, up to ${most(beside)} others were starting, or finishing what their load had left.`;
  return atOnce.length === 0
    ? ''
    : `
${atOnce.length} of these drills, marked with \\*, shared the machine with others: up to ${most(atOnce)} loads began together.${others} Times may be longer
there than alone. A drill that broke a promise about a time beside others is left out until it is measured again alone, except for
\`redis-half-open\` of n8n as it comes, which meets no SLO again whether it is alone or not. What was lost counts all the same, since
the steady phase has to meet its SLO in each of them.
`;
}

/**
 * Whether requests that were lost were due before the fault, while it was being made, and after it, as far as the records
 * tell. `late`: whether any that was due after it may have been lost, as callers of that time did not get the expected response.
 */
function lostDueOf(drills) {
  const losing = drills.filter(({ drill }) => drill.ledger.lost > 0);
  const due = losing.map(({ lostDue, drill }) => lostDue ?? dueByErrors(drill));
  return {
    before: due.some(({ before }) => before > 0),
    during: due.some(({ during = 0 }) => during > 0),
    after: due.some(({ after }) => after > 0),
    late: losing.some(({ drill }) => (drill.figures?.errors?.toSeconds ?? 1) > madeAfter(drill)),
  };
}

/** Seconds from the begin of the fault until it was made. */
const madeAfter = ({ fault, phases }) => ((fault.done[0]?.tMs ?? 0) - (phases.faultMs ?? 0)) / 1000;

/** Older records have only the first and the last of all requests without the expected response. */
function dueByErrors({ ledger, figures }) {
  const { fromSeconds, toSeconds } = figures?.errors ?? { fromSeconds: -1, toSeconds: 1 };
  return {
    before: toSeconds <= 0 ? ledger.lost : 0,
    after: fromSeconds > 0 ? ledger.lost : 0,
  };
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
        lostDue: lostDueOf(drills),
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

Most causes come from reading the code of n8n and Bull, from the counts above and from when the lost requests were due, not
from an experiment of their own.

${table(['fault', 'target', 'configuration', 'promised', 'measured', 'cause', 'what would prevent it'], rows)}
`;
}
