import { parseWebhooks, quantileOf, writeWebhooks } from '../../../cli/src/samplers/n8n-metrics';
import { Collected } from '../../process/stage';

const NAME = 'n8n_webhook_request_duration_seconds';
const ofPath = (path: string, status: number): string =>
  `webhook_path="${path}",workflow_id="w",status_code="${String(status)}"`;

/** What n8n 2.41.1 shows of one path with one status: so many requests of 20 ms, and so many of 1 s. */
const shown = (labels: string, quick: number, slow: number): string =>
  [
    ...[0.003, 0.03, 0.1, 0.3, 1.5, 10].map((bound) => {
      const upTo = bound < 0.02 ? 0 : bound < 1 ? quick : quick + slow;
      return `${NAME}_bucket{le="${String(bound)}",${labels}} ${String(upTo)}`;
    }),
    `${NAME}_bucket{le="+Inf",${labels}} ${String(quick + slow)}`,
    `${NAME}_sum{${labels}} ${String(0.02 * quick + slow)}`,
    `${NAME}_count{${labels}} ${String(quick + slow)}`,
  ].join('\n');

const page = (...parts: string[]): string => ['# TYPE', ...parts, ''].join('\n');

test('the count of webhooks adds up paths, and tells errors apart', () => {
  const counts = parseWebhooks(page(shown(ofPath('a', 200), 8, 1), shown(ofPath('b', 503), 2, 0)));
  expect(counts).toMatchObject({ requests: 11, errors: 2 });
  expect(counts?.sumSeconds).toBeCloseTo(1.2);
  expect(counts?.upTo.get(0.03)).toBe(10);
  expect(counts?.upTo.get(Infinity)).toBe(11);
});

test('the count of webhooks is nothing where n8n shows none', () => {
  expect(parseWebhooks(page('n8n_other 1'))).toBeNull();
});

test('the count of webhooks estimates a percentile of what came since, as Prometheus does', () => {
  const before = parseWebhooks(page(shown(ofPath('a', 200), 100, 0)));
  const now = parseWebhooks(page(shown(ofPath('a', 200), 190, 10)));
  if (before === null || now === null) throw new Error('nothing was read');
  // 90 of 100 within 0.003 to 0.03 s: the middle of these is the 45th.
  expect(quantileOf(now, before, 0.45)).toBeCloseTo(0.0165);
  expect(quantileOf(now, before, 0.95)).toBeCloseTo(0.9);
});

test('the count of webhooks never estimates above the last bound', () => {
  const upTo = new Map([
    [10, 0],
    [Infinity, 4],
  ]);
  expect(quantileOf({ upTo }, { upTo: new Map() }, 0.95)).toBe(10);
});

test('the count of webhooks writes no latency while nothing is answered, nor after a restart', () => {
  const sink = new Collected();
  const of = { role: 'main', instance: 'main-1' } as const;
  const [first, second] = [
    parseWebhooks(page(shown(ofPath('a', 200), 5, 0))),
    parseWebhooks(page(shown(ofPath('a', 200), 15, 0))),
  ];
  if (first === null || second === null) throw new Error('nothing was read');
  writeWebhooks(sink, of, second, null);
  writeWebhooks(sink, of, second, second);
  writeWebhooks(sink, of, first, second);
  expect(sink.values('webhookMeanMs')).toEqual([]);
  writeWebhooks(sink, of, second, first);
  expect(sink.values('webhookMeanMs')[0]).toBeCloseTo(20);
  expect(sink.values('webhookRequests')).toEqual([15, 15, 5, 15]);
});
