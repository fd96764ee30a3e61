import { withOpen } from '../../../../../cli/src/features/drill/analysis/open-on-victims';
import type { RequestSample } from '../../../../../cli/src/record/run-record';

const request = (tMs: number, durationMs: number, ok = true): RequestSample => ({
  ...{ tMs, durationMs, ok, status: ok ? 200 : 502, errorKind: ok ? '' : 'status 502' },
  ...{ id: String(tMs), workload: 'side-effect', ranBy: '' },
});
const spans = [
  { fromMs: 9_990, toldMs: 10_000, toMs: 10_000 },
  { fromMs: 20_000, toldMs: 20_010, toMs: 50_000 },
];
const webhook = { tMs: 10_000, name: 'webhook-1', requests: 90 };

test('on one of several, those were open that got no expected response or were held up', () => {
  const requests = [
    request(1_000, 2_000, false),
    request(9_000, 1_000, false),
    request(9_500, 2_000),
    request(19_000, 31_000),
    request(30_000, 20_000),
    request(31_000, 2_000),
  ];
  const victims = [0, 1].map((turn) => ({ ...webhook, turn, takes: 'some' as const }));
  expect(withOpen(victims, { requests, spans, slowMs: 3_000 })).toEqual([
    { ...webhook, turn: 0, open: 1 },
    { ...webhook, turn: 1, open: 2 },
  ]);
});

test('on one that takes all, those that were open when the fault came', () => {
  const requests = [request(1_000, 2_000), request(9_000, 2_000), request(10_500, 2_000)];
  const main = { tMs: 10_000, name: 'main', turn: 0 };
  const order = { requests, spans, slowMs: 3_000 };
  expect(withOpen([{ ...main, takes: 'all' }], order)).toEqual([{ ...main, open: 1 }]);
  expect(withOpen([main], order)).toEqual([main]);
  expect(withOpen([{ ...main, turn: 9, takes: 'all' }], order)).toEqual([
    { ...main, turn: 9, open: null },
  ]);
});
