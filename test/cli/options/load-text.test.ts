import { planText, searchText } from '../../../cli/src/options/load-text';
import { planOf } from '../../../loadtests/lib/profile';

const steady = { warmupSeconds: 0 };

test.each([
  [
    planOf('load', { ...steady, ratePerSecond: 1, durationSeconds: 1 }),
    'up to 1 request per second, 1 request in 1 s',
  ],
  [
    planOf('load', { ...steady, ratePerSecond: 0.05, durationSeconds: 60 }),
    'up to 0.05 requests per second, 3 requests in 60 s',
  ],
  [
    planOf('load', { ...steady, ratePerSecond: 40, durationSeconds: 300 }),
    'up to 40 requests per second, 12,000 requests in 5 min',
  ],
  [
    planOf('closed', { ...steady, clients: 1, durationSeconds: 60 }),
    'requests from 1 client, each response followed by the next request, for 60 s',
  ],
  [
    planOf('closed', { ...steady, clients: 8, durationSeconds: 60 }),
    'requests from 8 clients, each response followed by the next request, for 60 s',
  ],
])('who is asked for consent reads what would come, in English', (given, text) => {
  expect(planText(given)).toBe(text);
});

test('a search says that nothing bounds its rates', () => {
  expect(searchText(1, 90)).toBe(
    'a load that is raised until something breaks, for 90 s: first from up to 1 client, then at rates without an upper bound',
  );
});
