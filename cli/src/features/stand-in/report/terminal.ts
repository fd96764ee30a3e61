/** What was asked of a stand-in, for the terminal. Pure. */
import type { HostCount, StandInReport } from '../../../stand-in/analysis/counts';
import { counted, formatNumber, percent, perSecond } from '../../../ui/numbers';

/** From this share of its core on it may have been slower than the services that it stands for. */
const BUSY = 0.75;

export function reportLines(report: StandInReport): string[] {
  const { seconds, requests, requestsPerSecond, cpuCores, unmatched, hosts } = report;
  return [
    `${counted(requests, 'call')} in ${formatNumber(seconds)} s, ${perSecond(requestsPerSecond)}; the stand-in used ${percent(cpuCores)} of a core.`,
    ...(cpuCores > BUSY
      ? [
          'The stand-in was busy, so it may have caused part of the latencies. Give the stand-in its own core, or reduce the load.',
        ]
      : []),
    ...(unmatched > 0
      ? [`${counted(unmatched, 'call')} matched no rule, so the stand-in responded with 404.`]
      : []),
    ...hosts.map(hostLine),
  ];
}

function hostLine({ host, calls, failed, maxPerSecond, published }: HostCount): string {
  const failures = failed === 0 ? '' : `, ${formatNumber(failed)} failed`;
  const allowed =
    published === undefined
      ? ''
      : `; it allows ${perSecond(published.perSecond)} (${published.of}, ${published.source})`;
  return `${host}: ${counted(calls, 'call')}${failures}, at most ${perSecond(maxPerSecond)}${allowed}`;
}
