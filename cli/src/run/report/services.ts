/** Calls of services outside n8n, for reports. Pure. */
import type { RunRecord, ServiceCalls } from '../../record/run-record';
import type { Figure } from '../../report/text/units';
import { formatNumber, perSecond } from '../../ui/numbers';

export const SERVICE_COLUMNS = [
  'host',
  'calls',
  'failed',
  'per request',
  'per second',
  'it allows',
];

export const serviceRows = ({ summary: { services = [] } }: RunRecord): string[][] =>
  services.map((service) => [
    service.host,
    formatNumber(service.calls),
    formatNumber(service.failed),
    formatNumber(service.perRequest),
    perSecond(service.perSecond),
    allowedText(service),
  ]);

const allowedText = ({ published }: ServiceCalls): string =>
  published === undefined
    ? ''
    : `${perSecond(published.perSecond)} (${published.of}, ${published.source})`;

/** Services that would refuse the rate which was offered. */
export const tooManyCalls = ({ summary }: RunRecord): Figure[] =>
  (summary.services ?? [])
    .filter(({ perSecond: sent, published }) => sent > (published?.perSecond ?? Infinity))
    .map((service) => ({
      name: `Calls of ${service.host}`,
      value: `${perSecond(service.perSecond)} at ${perSecond(summary.offered.ratePerSecond)}, and it allows ${allowedText(service)}`,
    }));
