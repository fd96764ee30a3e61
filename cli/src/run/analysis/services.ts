/** What the workflows of a run asked of each service outside n8n, from two looks at the stand-in. Pure. */
import type { ServiceCalls } from '../../record/run-record';
import type { HostCount } from '../../stand-in/analysis/counts';

export interface ServicesSeen {
  before: readonly HostCount[];
  after: readonly HostCount[];
}

/** `requests` were sent in the time between both looks; `ratePerSecond` is the rate that was offered. */
export function serviceCalls(
  { before, after }: ServicesSeen,
  { requests, ratePerSecond }: { requests: number; ratePerSecond: number },
): ServiceCalls[] {
  return after
    .map(({ host, calls, failed, published }) => {
      const earlier = before.find((each) => each.host === host);
      const made = calls - (earlier?.calls ?? 0);
      const perRequest = requests === 0 ? 0 : made / requests;
      return {
        ...{ host, calls: made, failed: failed - (earlier?.failed ?? 0), perRequest },
        perSecond: perRequest * ratePerSecond,
        ...(published === undefined ? {} : { published }),
      };
    })
    .filter(({ calls }) => calls > 0)
    .sort((one, other) => other.calls - one.calls);
}
