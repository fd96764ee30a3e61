import { formatNumber } from '../../../../../../cli/src/ui/numbers';
import type { Budgeted, Quality, Score, Scores, Sureness } from './quality';

/** The record as text of a page; nothing in it is typed by hand but the words. */
export function qualityText({
  ours,
  budgeted,
  peer,
  rows,
  repeats,
  replayed,
  drifting,
  stalling,
}: Quality): string {
  const equal = equallyGood({ ours, peer });
  const longest = peer.at(-1);
  const times = (seconds: number): string =>
    `${whole(seconds)} s per search, which is ${(seconds / ours.meanSeconds).toFixed(1)} times as long`;
  const versus = equal
    ? `Doubling and bisection is as good in median and tail only with probes of ${String(equal.probeSeconds)} s: ${times(equal.meanSeconds)}.`
    : `With long probes, doubling and bisection has a smaller median error, but no length that was tried is better in both median and tail. The longest probes took ${String(longest?.probeSeconds)} s: ${times(longest?.meanSeconds ?? 0)}.`;
  return `## On simulated systems

\`find\` ran ${String(repeats)} times on each of ${String(rows.length)} simulated systems with known capacity: ${String(ours.cases)} searches.
Half of the answers are within ${percent(ours.medianError)} of the true capacity, and 95% are within ${percent(ours.p95Error)}. None is more than ${percent(ours.maxAbove)} above the true capacity.
The stated interval contains the true capacity in ${percent(ours.coverage)} of the searches. The probes of a search took ${whole(ours.meanSeconds)} s on average.
${versus}

| procedure | median error | 95% of cases within | most above | most below | probe-seconds |
|---|---|---|---|---|---|
| **n8n-tuned find** | ${scoreCells(ours)} |
${budgeted.map((score) => `| find with a budget of ${String(score.budgetSeconds)} s | ${scoreCells(score)} |`).join('\n')}
${peer
  .filter((_, at) => at % 2 === 0)
  .map(
    (score) =>
      `| doubling and bisection, ${String(score.probeSeconds)} s probes | ${scoreCells(score)} |`,
  )
  .join('\n')}

${budgeted.map(budgetSentence).join('\n')}
Short probes do not show problems that take longer to appear, such as a leak.

The true capacity is the rate at which a probe of full length (60 s) meets the SLO half of the time, computed from many such probes. An endless run would also see rarer queues, so its limit, the steady capacity, is slightly lower: no answer was more than ${percent(ours.maxAboveSteady)} above it.
No search of this kind can see a disturbance that occurs less often than once in a full-length probe.

### On traces of a real n8n

Each request of \`last-node\` on a busy machine, and of \`items\` in both modes, was replayed: ${String(replayed.rows.length)} systems, each searched ${String(repeats)} times, which the figures above do not include.

| budget | most below | most above | INCONCLUSIVE |
|---|---|---|---|
${each(replayed, ({ maxBelow, maxAbove, conclusive }) => [percent(-maxBelow), percent(maxAbove), percent(1 - conclusive)])}

### On machines whose speed changes

On ${String(drifting.rows.length)} simulated machines, the cores become up to 15% faster or slower every 20 to 60 s.

| budget | interval contains it | 95% of cases within | INCONCLUSIVE |
|---|---|---|---|
${each(drifting, ({ coverage, p95Error, conclusive }) => [percent(coverage), percent(p95Error), percent(1 - conclusive)])}

### On machines that stall

On ${String(stalling.rows.length)} simulated machines, n8n also stops for 1.6 s every 60 to 120 s, as during a major garbage collection. The interval includes both how often stalls may occur and a run without one.

| budget | interval contains it | 95% of cases within | INCONCLUSIVE | conclusive, but wrong | no stall seen | contains the steady capacity |
|---|---|---|---|---|---|---|
${each(stalling, (score) => [
  ...[percent(score.coverage), percent(score.p95Error), percent(1 - score.conclusive)],
  ...[percent(score.wrong), percent(1 - score.sawStalls)],
  percent(score.coverageSteady),
])}

A search cannot know of stalls that it did not see, so the steady capacity is a better reference here.`;
}

/** A row for each budget, and one for a search without. */
function each(
  { ours, budgeted }: Scores,
  cellsOf: (score: Score & Sureness) => readonly string[],
): string {
  return [
    ...budgeted.map((score) => [`${String(score.budgetSeconds)} s`, ...cellsOf(score)]),
    ['none', ...cellsOf(ours)],
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** The cheapest of the peer's settings that is no worse in any figure of error. */
export function equallyGood({ ours, peer }: Pick<Quality, 'ours' | 'peer'>) {
  return peer.find(
    (score) => score.medianError <= ours.medianError && score.p95Error <= ours.p95Error,
  );
}

function budgetSentence(score: Budgeted): string {
  const { budgetSeconds, fullSeconds, coverage, conclusive, confirmed, conclusiveP95Error } = score;
  return `With a budget of ${String(budgetSeconds)} s, a full-length run takes ${String(fullSeconds)} s, and ${percent(coverage)} of the intervals contain the true capacity. Of the searches, ${percent(conclusive)} were conclusive, with an interval of at most 20%. Of these answers, 95% are within ${percent(conclusiveP95Error)}, and a full-length run confirmed ${percent(confirmed)}.`;
}

function scoreCells(score: Score): string {
  return [
    percent(score.medianError),
    percent(score.p95Error),
    percent(score.maxAbove),
    percent(-score.maxBelow),
    whole(score.meanSeconds),
  ].join(' | ');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

function whole(value: number): string {
  return formatNumber(Math.round(value));
}
