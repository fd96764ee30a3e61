// What a run says of the pool of sandboxes. Pure.
import type { RunRecord } from '../../cli/src/record/run-record';

type Summary = RunRecord['summary'];

/** What of a run is looked at. */
export interface Looked {
  profile: { warmupSeconds: number };
  summary: {
    offered: Pick<Summary['offered'], 'requests'>;
    achieved: Pick<Summary['achieved'], 'requests'>;
    unanswered: Pick<Summary['unanswered'], 'requests'>;
    latencyMs: Pick<NonNullable<Summary['latencyMs']>, 'p50' | 'p95' | 'max'> | null;
    cpuMillisecondsPerRequest: Summary['cpuMillisecondsPerRequest'];
    roles: readonly { role: string; rssPeakMiB?: number | null }[];
  };
}

/** `samples`: the text of samples.csv. */
export function figuresOf({ profile, summary }: Looked, samples: string) {
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

/** The growth of a counter of main since the last sample up to `fromMs` of the load; null where there is none. */
function growth(samples: string, metric: string, fromMs: number): number | null {
  const values = samples
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .filter(([, role, , name]) => role === 'main' && name === metric)
    .map(([tMs, , , , value]) => ({ tMs: Number(tMs), value: Number(value) }));
  const before = values.filter(({ tMs }) => tMs <= fromMs).at(-1) ?? values[0];
  const last = values.at(-1);
  return before === undefined || last === undefined ? null : last.value - before.value;
}
