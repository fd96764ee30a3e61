// What the steps of a staircase say, and how to compare them with what find says. Pure.

/** Of what find answered; steps around it, from below. Where all are on one side, more of them follow there. */
const SHARES = [0.8, 0.9, 1, 1.1, 1.2];
const FURTHER = 1.15;

/** The rate of the next step; null where the steps have a boundary, or there are enough of them. */
export function nextRate(steps, around, most) {
  const round = (rate) => Number(rate.toPrecision(3));
  if (steps.length >= most) return null;
  if (steps.length < SHARES.length) return round(SHARES[steps.length] * around);
  if (betweenSteps(steps) !== null) return null;
  const rates = steps.map(({ ratePerSecond }) => ratePerSecond);
  const isAllSustained = steps.filter(({ sustained }) => sustained).length > steps.length / 2;
  return round(isAllSustained ? Math.max(...rates) * FURTHER : Math.min(...rates) / FURTHER);
}

/** Between the two neighbours that contradict the fewest steps; null where all are on one side. */
export function betweenSteps(given) {
  const steps = [...given].sort((a, b) => a.ratePerSecond - b.ratePerSecond);
  const wrong = (i) => steps.filter(({ sustained }, at) => sustained !== at < i).length;
  const split = steps
    .map((_, i) => i)
    .concat(steps.length)
    .reduce((best, i) => (wrong(i) < wrong(best) ? i : best), 0);
  const [below, above] = [steps[split - 1], steps[split]];
  return below === undefined || above === undefined
    ? null
    : Math.sqrt(below.ratePerSecond * above.ratePerSecond);
}

/** Of one run of oha, whose own `successRate` counts any status as a success. */
export function ohaFigures(
  { summary, latencyPercentiles, statusCodeDistribution, errorDistribution },
  p95LimitMs,
) {
  const sum = (counts) => Object.values(counts ?? {}).reduce((all, n) => all + n, 0);
  const expected = statusCodeDistribution['200'] ?? 0;
  const all = sum(statusCodeDistribution) + sum(errorDistribution);
  const p95Ms = 1_000 * latencyPercentiles.p95;
  const errorShare = all === 0 ? 1 : 1 - expected / all;
  return {
    p95Ms,
    expected,
    errorShare,
    achievedPerSecond: summary.requestsPerSec,
    sustained: p95Ms < p95LimitMs && errorShare < 0.01,
  };
}

/** The answer of a part, and the CPU per request of the steps or probes nearest to it; null without an answer. */
export function answerOf(part) {
  const { kind } = part;
  const rate = kind === 'find' ? part.capacity.ratePerSecond : part.answer;
  if (!(rate > 0)) return null;
  const costs = (kind === 'find' ? part.probes : part.steps)
    .map((one) => ({
      away: Math.abs(Math.log((one.ratePerSecond ?? Infinity) / rate)),
      ms: kind === 'find' ? (one.cpuPerRequest?.allMs ?? null) : one.cpuMs,
    }))
    .filter(({ away, ms }) => ms !== null && away < Math.log(1.25));
  const cpuMs =
    costs.length === 0 ? null : costs.reduce((sum, { ms }) => sum + ms, 0) / costs.length;
  return { rate, cpuMs };
}

/**
 * How far find is from the staircase, as a share. At equal speed: CPU is what limits these workloads, so a rate is
 * worth the cores that it takes, and those do not depend on how fast they were.
 */
export function atEqualSpeed(find, stair) {
  const known = find.cpuMs !== null && stair.cpuMs !== null;
  return {
    find: find.rate,
    staircase: stair.rate,
    cpuMs: { find: find.cpuMs, staircase: stair.cpuMs },
    error: find.rate / stair.rate - 1,
    errorAtEqualSpeed: known ? (find.rate * find.cpuMs) / (stair.rate * stair.cpuMs) - 1 : null,
  };
}

/**
 * Of the records of parts: each search with the staircase around its answer, null while there is none. `compared` is null
 * where one of the two has no answer.
 */
export function pairsOf(records) {
  const of = (kind) => records.filter((record) => record.kind === kind);
  return of('find').map((find) => {
    const isAround = (stair) =>
      ['workload', 'mode', 'round'].every((name) => stair[name] === find[name]);
    const staircase = of('staircase').find(isAround) ?? null;
    const [ours, theirs] = [answerOf(find), staircase === null ? null : answerOf(staircase)];
    const compared = ours === null || theirs === null ? null : atEqualSpeed(ours, theirs);
    return { find, staircase, compared };
  });
}
