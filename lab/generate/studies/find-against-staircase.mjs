// `find` on a real n8n against a staircase of runs by a generator that is not ours (studies/find-against-staircase).
import { PARTS } from '../../../studies/find-against-staircase/parts.mjs';
import { pairsOf } from '../../../studies/find-against-staircase/staircase.mjs';
import { has, link, number, range, readJson, table, unsure } from '../records.ts';

const FOLDER = 'studies/find-against-staircase';
/** As a share: how near `find` is meant to come. */
const GOAL = 0.1;

const goal = `${number(100 * GOAL)}%`;
const percent = (share) => (share === null ? 'not known' : `${number(100 * share)}%`);
const isWithin = (share) => share !== null && Math.abs(share) <= GOAL;
const distinct = (values) => [...new Set(values)].toSorted();

/** Those that there are, in the order of the plan. */
const recorded = () =>
  PARTS.flatMap(({ name }) => {
    const path = `${FOLDER}/results/${name}.json`;
    return has(path) ? [{ path, ...readJson(path) }] : [];
  });

/** A search without an answer, and a staircase that has no boundary around one, are comparisons too: of those that failed. */
const isMade = ({ find, staircase }) => staircase !== null || !hasAnswer(find);
const hasAnswer = ({ capacity }) => capacity.ratePerSecond > 0;

/** Added to the answer of the page; empty while nothing is compared. */
export function staircaseAnswer(records = recorded()) {
  const all = pairsOf(records).filter(isMade);
  if (all.length === 0) return '';
  const within = (name) => all.filter(({ compared }) => isWithin(compared?.[name] ?? null)).length;
  return `On a real n8n it was within ${goal} of a staircase of runs by another generator in ${within('error')} of ${all.length} comparisons, and at equal speed of the machine in ${within('errorAtEqualSpeed')}.`;
}

export function againstStaircase(records = recorded()) {
  const pairs = pairsOf(records);
  if (pairs.length === 0) return '';
  const [{ find }] = pairs;
  const stairs = pairs.flatMap(({ staircase }) => (staircase === null ? [] : [staircase]));
  const generators = distinct(stairs.map(({ generator }) => generator)).join(', ') || 'oha';
  const seconds = distinct(stairs.map(({ stepSeconds }) => `${stepSeconds} s`)).join(', ');
  return `## \`find\` against another generator

On a real n8n: \`find --budget ${find.budget}\` with ${find.slo}, and after it${laterText(pairs)} a staircase around its answer by a generator
that is not ours (${generators}), corrected for coordinated omission${seconds === '' ? '' : `, ${seconds} per step`}; the steps are a tenth of the answer apart, so
that the staircase itself is exact to half of that at best. It answers between the two neighbouring steps that the fewest
of all steps contradict. Both send at ${find.arrivals} distances, as oha knows no other; n8n with its stores runs on core ${find.cores.n8n},
the generator on core ${find.cores.generator}. The speed of a machine changes over minutes: at equal speed, each of the two rates counts times
the CPU that n8n took for a request near it. ${measuredOn(records)}

${table(
  ['workload', 'mode', '`find`', 'staircase', 'off by', 'at equal speed', `within ${goal}`, ''],
  pairs.map(rowOf),
)}

${[staircaseAnswer(records), missing(records)].filter((text) => text !== '').join(' ')}
\`node ${FOLDER}/measure.mjs\` measures the next part without a record, with \`--within 60m\` all that fit into that time; take
a record away to repeat it.`;
}

/** How long after the end of its search a staircase began. */
function laterText(pairs) {
  const minutes = pairs
    .filter(({ staircase }) => staircase !== null)
    .map(({ find, staircase }) => {
      const apart = Date.parse(staircase.startedAt) - Date.parse(find.startedAt);
      return Math.ceil(apart / 60_000 - find.totalSeconds / 60);
    });
  return minutes.length === 0 ? '' : `, at most ${Math.max(...minutes)} min later,`;
}

function measuredOn(records) {
  const days = distinct(records.map(({ startedAt }) => startedAt.slice(0, 10)));
  const where = distinct(records.map(({ machine }) => `${machine.cores} cores (${machine.cpu})`));
  const versions = distinct(records.map((record) => record.versions.n8n));
  const loads = records.map(({ loadAverageAtStart }) => loadAverageAtStart);
  return `Measured on ${days.join(', ')} with n8n ${versions.join(' and ')} on ${where.join(' or ')}, load average at the start of a part ${number(Math.min(...loads))} to ${number(Math.max(...loads))}.`;
}

function missing(records) {
  const left = PARTS.filter(({ name }) => !records.some((record) => record.name === name));
  return left.length === 0 ? '' : `${left.length} of ${PARTS.length} parts have no record yet.`;
}

function rowOf(pair) {
  const { find, staircase, compared } = pair;
  const { capacity, verdict } = find;
  return [
    ...[find.workload, find.mode],
    hasAnswer(find)
      ? `${number(capacity.ratePerSecond)}/s (${range(capacity)})${unsure({ ...capacity, verdict })}`
      : verdict,
    staircase === null ? 'not measured yet' : staircaseCell(staircase, capacity),
    ...(compared === null
      ? ['-', '-', isMade(pair) ? 'no' : '-']
      : [percent(compared.error), percent(compared.errorAtEqualSpeed), verdictOn(compared)]),
    [find, staircase]
      .filter((record) => record !== null)
      .map(({ path }) => link(path))
      .join(', '),
  ];
}

function staircaseCell({ answer, steps }, { low, high }) {
  if (answer !== null) {
    const isInside = low <= answer && answer <= (high ?? Infinity);
    return `${number(answer)}/s${isInside ? '' : ', not in that interval'}`;
  }
  const rates = steps.map(({ ratePerSecond }) => ratePerSecond);
  if (steps.every(({ sustained }) => sustained)) return `more than ${number(Math.max(...rates))}/s`;
  return steps.some(({ sustained }) => sustained)
    ? 'no boundary'
    : `less than ${number(Math.min(...rates))}/s`;
}

/** What was seen counts first; what follows from the CPU is said beside it. */
function verdictOn({ error, errorAtEqualSpeed }) {
  if (isWithin(error)) return isWithin(errorAtEqualSpeed) ? 'yes' : 'yes, as it came';
  return isWithin(errorAtEqualSpeed) ? 'only at equal speed' : 'no';
}
