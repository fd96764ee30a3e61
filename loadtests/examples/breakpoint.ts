/**
 * A rate that grows until a threshold fails; k6 then stops and exits with 99. Use a test system: something breaks.
 *
 *   k6 run -e BASE_URL=http://127.0.0.1:5678 -e RATE=200 -e DURATION=10m breakpoint.ts
 */
import http from 'k6/http';
import type { Options } from 'k6/options';

const BASE_URL = __ENV.BASE_URL || 'http://127.0.0.1:5678';
const WEBHOOK = __ENV.WEBHOOK || '/webhook/load-last-node';

/** Not before 5 s: a few slow requests at the start are not the limit. */
const stopIf = (threshold: string) => ({ threshold, abortOnFail: true, delayAbortEval: '5s' });

export const options: Options = {
  scenarios: {
    ramp: {
      executor: 'ramping-arrival-rate',
      startRate: 1,
      timeUnit: '1s',
      stages: [{ target: Number(__ENV.RATE || 100), duration: __ENV.DURATION || '5m' }],
      preAllocatedVUs: 50,
      maxVUs: 1000,
    },
  },
  thresholds: {
    http_req_duration: [stopIf(`p(95)<${__ENV.P95_MS || '1000'}`)],
    http_req_failed: [stopIf('rate<0.05')],
    dropped_iterations: [stopIf('count<10')],
  },
};

export default function () {
  http.get(`${BASE_URL}${WEBHOOK}`, { tags: { name: WEBHOOK } });
}
