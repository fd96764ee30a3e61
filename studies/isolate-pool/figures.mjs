// What a run says of the pool of sandboxes. Pure.

/** `samples`: the text of samples.csv. */
export function figuresOf({ profile, summary }, samples) {
  const { offered, achieved, latencyMs, cpuMillisecondsPerRequest, roles, unanswered } = summary;
  return {
    requests: offered.requests,
    expected: achieved.requests,
    unanswered: unanswered.requests,
    p50Ms: latencyMs?.p50 ?? null,
    p95Ms: latencyMs?.p95 ?? null,
    maxMs: latencyMs?.max ?? null,
    cpuMillisecondsPerRequest,
    memoryMiB: roles.find(({ role }) => role === 'main')?.rssPeakMiB ?? null,
    coldSandboxes: growth(samples, 'coldSandboxes', 1000 * profile.warmupSeconds),
  };
}

/** Of a counter of main since the last sample up to `fromMs` of the load; null where there is none. */
function growth(samples, metric, fromMs) {
  const values = samples
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .filter(([, role, , name]) => role === 'main' && name === metric)
    .map(([tMs, , , , value]) => ({ tMs: Number(tMs), value: Number(value) }));
  if (values.length === 0) return null;
  const before = values.findLast(({ tMs }) => tMs <= fromMs) ?? values[0];
  return values.at(-1).value - before.value;
}
