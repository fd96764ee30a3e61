/**
 * Two workflows at the same time, each with its own rate and its own thresholds: a tag tells them apart.
 *
 *   k6 run -e BASE_URL=http://127.0.0.1:5678 two-workflows.ts
 */
import { check } from 'k6';
import http from 'k6/http';
import type { Options } from 'k6/options';

const BASE_URL = __ENV.BASE_URL || 'http://127.0.0.1:5678';
const DURATION = __ENV.DURATION || '1m';

const everySecond = (rate: number, exec: string) => ({
  executor: 'constant-arrival-rate' as const,
  exec,
  tags: { workflow: exec },
  rate,
  timeUnit: '1s',
  duration: DURATION,
  preAllocatedVUs: 20,
  maxVUs: 200,
});

export const options: Options = {
  scenarios: {
    quick: everySecond(Number(__ENV.QUICK_RATE || 10), 'quick'),
    slow: everySecond(Number(__ENV.SLOW_RATE || 2), 'slow'),
  },
  thresholds: {
    'http_req_duration{workflow:quick}': [`p(95)<${__ENV.QUICK_P95_MS || '500'}`],
    'http_req_duration{workflow:slow}': [`p(95)<${__ENV.SLOW_P95_MS || '8000'}`],
    'checks{workflow:quick}': ['rate>0.99'],
    'checks{workflow:slow}': ['rate>0.95'],
  },
};

function ask(path: string): void {
  const response = http.get(`${BASE_URL}${path}`, { tags: { name: path } });
  check(response, { 'status is 200': ({ status }) => status === 200 });
}

export function quick(): void {
  ask(__ENV.QUICK || '/webhook/load-last-node');
}

export function slow(): void {
  ask(__ENV.SLOW || '/webhook/load-test');
}
