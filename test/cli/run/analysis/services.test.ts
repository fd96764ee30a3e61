import { serviceCalls } from '../../../../cli/src/run/analysis/services';
import {
  callsPerRequest,
  serviceRows,
  tooManyCalls,
} from '../../../../cli/src/run/report/document';
import { sampleRun } from '../../../support/sample-run';

const slack = { perSecond: 1, of: 'messages per channel', source: 'https://docs.slack.dev' };
const host = (name: string, calls: number, failed = 0) => ({
  ...{ host: name, calls, failed, maxPerSecond: 0 },
});
const seen = {
  before: [host('slack.com', 3, 1), host('old', 5)],
  after: [
    { ...host('slack.com', 303, 11), published: slack },
    host('old', 5),
    host('crm.example', 600),
  ],
};
const calls = serviceCalls(seen, { requests: 100, ratePerSecond: 40 });

test('calls of a service are those between two looks, at the rate that was offered', () => {
  expect(calls).toEqual([
    { host: 'crm.example', calls: 600, failed: 0, perRequest: 6, perSecond: 240 },
    {
      ...{ host: 'slack.com', calls: 300, failed: 10, perRequest: 3, perSecond: 120 },
      published: slack,
    },
  ]);
  expect(serviceCalls(seen, { requests: 0, ratePerSecond: 0 })[0]?.perSecond).toBe(0);
});

test('a report names each service, and one that allows less than it would be sent', () => {
  const { record } = sampleRun();
  record.summary.services = calls;
  record.summary.offered.ratePerSecond = 40;
  expect(serviceRows(record)).toEqual([
    ['crm.example', '600', '0', '6', '240/s', ''],
    ['slack.com', '300', '10', '3', '120/s', '1/s (messages per channel, https://docs.slack.dev)'],
  ]);
  expect(tooManyCalls(record)).toEqual([
    {
      name: 'Calls of slack.com',
      value:
        '120/s at a load of 40/s; the service allows 1/s (messages per channel, https://docs.slack.dev)',
    },
  ]);
  expect(tooManyCalls(sampleRun().record)).toEqual([]);
});

test('a report counts the calls of each service per request, those with most first', () => {
  const { record } = sampleRun();
  expect(callsPerRequest(record)).toEqual([]);
  record.summary.services = calls;
  expect(callsPerRequest(record)).toEqual([
    { name: 'Calls per request', value: 'crm.example 6, slack.com 3' },
  ]);
  const [one] = calls;
  if (one === undefined) throw new Error('there is none');
  record.summary.services = Array.from({ length: 8 }, (_, at) => ({
    ...one,
    host: `h${String(at)}`,
  }));
  expect(callsPerRequest(record)[0]?.value).toBe('h0 6, h1 6, h2 6, h3 6, h4 6, h5 6 and 2 more');
});
