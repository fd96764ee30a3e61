/** SLOs over a few requests, as seen: no interval, since a window is too short for one. */
import { holds } from '../../../../loadtests/lib/condition';
import type { Slo } from '../../../../loadtests/lib/slo';
import type { RequestSample } from '../../record/run-record';
import { duration, percent } from '../../ui/numbers';
import { latency } from '../requests/latency';

export interface Missed {
  slo: string;
  measured: number;
  /** For a person. */
  text: string;
}

/** The first SLO that these requests miss; null where they meet all that can be seen from them. */
export function missedSlo(slos: readonly Slo[], requests: readonly RequestSample[]): Missed | null {
  for (const slo of slos) {
    const measured = measure(slo, requests);
    if (measured === null || holds(measured, slo)) continue;
    const shown =
      slo.metric === 'errors' || slo.metric === 'throughput'
        ? percent(measured)
        : duration(measured);
    return { slo: slo.text, measured, text: `${slo.metric} was ${shown}, limit ${slo.text}` };
  }
  return null;
}

function measure({ metric }: Slo, requests: readonly RequestSample[]): number | null {
  const wrong = requests.filter(({ ok }) => !ok).length / requests.length;
  if (metric === 'errors') return wrong;
  if (metric === 'throughput') return 1 - wrong;
  if (metric === 'backlog') return null;
  const seen = latency(requests);
  return seen === null ? null : metric === 'p99.9' ? seen.p999 : seen[metric];
}
