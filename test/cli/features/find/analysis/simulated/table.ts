import type { Budgeted, Quality, Score, Scores, Sureness } from './quality';

/** The record as a page; nothing in it is typed by hand but the words. */
export function qualityPage({
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
  const versus = equal
    ? `As good in both medians and tails is doubling and bisection only with probes of ${String(equal.probeSeconds)} s: ${whole(equal.meanSeconds)} s a search, ${(equal.meanSeconds / ours.meanSeconds).toFixed(1)} times as long.`
    : `Doubling and bisection reaches a smaller median with long probes, but not median and 95% together at any of the lengths tried, up to ${String(peer.at(-1)?.probeSeconds)} s a probe (${whole(peer.at(-1)?.meanSeconds ?? 0)} s a search, ${((peer.at(-1)?.meanSeconds ?? 0) / ours.meanSeconds).toFixed(1)} times as long).`;
  return `# How good is the search?

<!-- Generated: UPDATE_STUDIES=1 npx jest --selectProjects cli-long --testPathPatterns find-quality -->

\`find\` was run ${String(repeats)} times on each of ${String(rows.length)} simulated systems whose capacity is known: ${String(ours.cases)} searches.
Half of the answers are within ${percent(ours.medianError)} of the true capacity, 95% within ${percent(ours.p95Error)}; none is more than ${percent(ours.maxAbove)} above it.
The stated interval contains the true capacity in ${percent(ours.coverage)} of the searches. A search took ${whole(ours.meanSeconds)} s of probes on average.
${versus}

| procedure | median error | 95% of cases within | most above | most below | probe-seconds |
|---|---|---|---|---|---|
| **n8n-tuned find** | ${scoreCells(ours)} |
${budgeted.map((score) => `| find with a budget of ${String(score.budgetSeconds)} s | ${scoreCells(score)} |`).join('\n')}
${peer.map((score) => `| doubling and bisection, ${String(score.probeSeconds)} s probes | ${scoreCells(score)} |`).join('\n')}

${budgeted.map(budgetSentence).join('\n')}
A short full length cannot see what takes longer to go wrong, like a leak: that is where such answers lie too high.

The true capacity is the rate at which a probe of full length (60 s, the first fifth of it warm-up) is as likely to hold the SLO as to fail it, from many such probes.
An endless run would see rarer queues and so has a slightly lower limit, the steady capacity (in closed form for M/M/c, from a very long simulation for the others); no answer was more than ${percent(ours.maxAboveSteady)} above that one.
Doubling and bisection starts at 10 a second and ends when its step is under 1%, with one longer test of the level found, which is taken as its answer whether or not it holds.
What disturbs a system less often than once in a probe of full length, no search of this kind can see.

On traces of a real n8n (\`last-node\` while its machine was also compiling and installing, and \`items\` in both modes, replayed request by request; ${String(replayed.rows.length)} systems, ${String(repeats)} searches each) the answers lie between ${percent(replayed.ours.maxBelow)} and ${percent(replayed.ours.maxAbove)} off without a budget${replayed.budgeted.map((score) => `, between ${percent(score.maxBelow)} and ${percent(score.maxAbove)} with ${String(score.budgetSeconds)} s (${percent(1 - score.conclusive)} say INCONCLUSIVE)`).join('')}: the trace of the busy machine holds seconds of other work, which no search can measure around. The figures above leave these traces out.

${unsteadySentences(drifting, repeats)}
${stallingSentences(stalling)}

## Each system

| family | system | true capacity | steady | errors of the repeats, % | interval contains it | probes | probe-seconds |
|---|---|---|---|---|---|---|---|
${[...rows, ...replayed.rows, ...drifting.rows, ...stalling.rows]
  .map(
    (row) =>
      `| ${row.family} | ${row.system.replaceAll('<', '&lt;')} | ${figures(row.trueCapacity)} | ${row.steadyCapacity === null ? '-' : figures(row.steadyCapacity)} | ${row.errors.map((error) => (100 * error).toFixed(1)).join(', ')} | ${String(row.covered)} of ${String(row.repeats)} | ${row.meanProbes.toFixed(0)} | ${whole(row.meanSeconds)} |`,
  )
  .join('\n')}
`;
}

function unsteadySentences(scores: Scores, repeats: number): string {
  return `On ${String(scores.rows.length)} simulated machines whose cores are up to 15% faster or slower, another speed every 20 to 60 s (${String(repeats)} searches each; the true capacity is that of a run of full length at any time), ${shares(scores)}. The interval takes in the speeds that were seen, by the CPU per request of each probe. To correct the rate of each probe by its mean speed was tried too, and made the search without a budget worse on the systems above.`;
}

function stallingSentences(scores: Scores): string {
  const { ours, budgeted, rows } = scores;
  const each = (share: (score: Sureness) => number): string =>
    [...budgeted, ours].map((score) => percent(share(score))).join(', ');
  return `With stalls of 1.6 s every 60 to 120 s, mostly on top of it, as of major collections (${String(rows.length)} machines, ${String(rows[0]?.repeats)} searches each), ${shares(scores)}. In the same order ${each(({ wrong }) => wrong)} of the searches gave a conclusive answer whose interval misses the true capacity.
Whether a run sustains its rate then depends on how many stalls fall into it. A stall counts as one event, however many requests it makes late: from the number of them in all probes follows how often they may come, from the SLO what each of them costs, and the interval takes in both that and a run that meets none.
A search cannot know of stalls that it did not meet: ${each((score) => 1 - score.sawStalls)} of the searches met none; of those that met one, ${each((score) => 1 - score.missedAfterStalls / score.sawStalls)} have an interval that contains the true capacity.
What such a machine sustains for long, the steady capacity, is the fairer truth here: between one stall a minute and one in two minutes that of a run of full length jumps from half of what the machine does to nearly all of it, as a run then meets one or none. ${each(({ coverageSteady }) => coverageSteady)} of the intervals contain the steady capacity.
Repeating a probe that missed its SLO by a single burst of late requests was tried too. It raised none of these shares, as it favours runs without a stall.`;
}

function shares({ ours, budgeted }: Scores): string {
  const all = [
    ...budgeted.map(({ budgetSeconds, ...score }) => ({
      ...score,
      what: `with ${String(budgetSeconds)} s`,
    })),
    { ...ours, what: 'without a budget' },
  ];
  return all
    .map(
      ({ what, coverage, conclusive, p95Error }) =>
        `${what} ${percent(coverage)} of the intervals contain the true capacity, 95% of the answers are within ${percent(p95Error)} and ${percent(1 - conclusive)} say INCONCLUSIVE`,
    )
    .join('; ');
}

/** The cheapest of the peer's settings that is no worse in any figure of error. */
export function equallyGood({ ours, peer }: Pick<Quality, 'ours' | 'peer'>) {
  return peer.find(
    (score) => score.medianError <= ours.medianError && score.p95Error <= ours.p95Error,
  );
}

function budgetSentence(score: Budgeted): string {
  const { budgetSeconds, fullSeconds, coverage, conclusive, confirmed, conclusiveP95Error } = score;
  return `With a budget of ${String(budgetSeconds)} s, and so ${String(fullSeconds)} s as full length, ${percent(coverage)} of the intervals contain the true capacity. ${percent(conclusive)} of the searches were conclusive (an interval of at most 20%); of those, 95% are within ${percent(conclusiveP95Error)}, and a run of full length confirmed ${percent(confirmed)}. The others say INCONCLUSIVE.`;
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
  return value.toFixed(0);
}

function figures(value: number): string {
  return String(Number(value.toPrecision(4)));
}
