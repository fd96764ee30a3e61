/**
 * A constant rate, with checks and thresholds: k6 starts 10 requests per second whether or not n8n has answered.
 *
 *   k6 run -e BASE_URL=http://127.0.0.1:5678 -e WEBHOOK=/webhook/order constant-rate.ts
 */
import { check } from 'k6';
import http from 'k6/http';
import type { Options } from 'k6/options';

const BASE_URL = __ENV.BASE_URL || 'http://127.0.0.1:5678';
const WEBHOOK = __ENV.WEBHOOK || '/webhook/load-last-node';

export const options: Options = {
  scenarios: {
    webhook: {
      executor: 'constant-arrival-rate',
      rate: Number(__ENV.RATE || 10),
      timeUnit: '1s',
      duration: __ENV.DURATION || '1m',
      // One virtual user waits for each open request: rate x the slowest response, and some.
      preAllocatedVUs: 50,
      maxVUs: 500,
    },
  },
  thresholds: {
    http_req_duration: [`p(95)<${__ENV.P95_MS || '500'}`],
    http_req_failed: ['rate<0.01'],
    checks: ['rate>0.99'],
    // With too few virtual users k6 does not send what is due, and its latencies are too good.
    dropped_iterations: ['count==0'],
  },
};

export default function () {
  const response = http.get(`${BASE_URL}${WEBHOOK}`, { tags: { name: WEBHOOK } });
  check(response, {
    'status is 200': ({ status }) => status === 200,
    'the response is JSON': ({ headers }) => /json/.test(headers['Content-Type'] ?? ''),
  });
}
