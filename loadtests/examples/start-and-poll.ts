/**
 * A workflow that responds before its work is done: start it, then ask n8n's API until the execution has finished.
 * The workflow: Webhook (respond by a node) -> Respond to Webhook with {"id": "{{ $execution.id }}"} -> the work. n8n
 * must save its executions.
 *
 *   k6 run -e BASE_URL=http://127.0.0.1:5678 -e API_KEY=... -e WEBHOOK=/webhook/work start-and-poll.ts
 */
import { check, sleep } from 'k6';
import http from 'k6/http';
import { Trend } from 'k6/metrics';
import type { Options } from 'k6/options';

const BASE_URL = __ENV.BASE_URL || 'http://127.0.0.1:5678';
const WEBHOOK = __ENV.WEBHOOK || '/webhook/work';
const LONGEST_SECONDS = Number(__ENV.LONGEST_SECONDS || 60);

/** From the start to the end of the work, as far as one look every half second sees it. */
const worked = new Trend('work_duration', true);

export const options: Options = {
  scenarios: {
    work: {
      executor: 'constant-arrival-rate',
      rate: Number(__ENV.RATE || 2),
      timeUnit: '1s',
      duration: __ENV.DURATION || '1m',
      // A virtual user stays with an execution until its end.
      preAllocatedVUs: 50,
      maxVUs: 500,
    },
  },
  thresholds: {
    checks: ['rate>0.99'],
    work_duration: [`p(95)<${__ENV.P95_MS || '10000'}`],
    dropped_iterations: ['count==0'],
  },
};

/** `running` and the like until it has ended. */
function statusOf(id: string): string {
  const response = http.get(`${BASE_URL}/api/v1/executions/${id}`, {
    headers: { 'X-N8N-API-KEY': __ENV.API_KEY ?? '' },
    tags: { name: '/api/v1/executions/:id' },
  });
  if (response.status === 200) return String(response.json('status'));
  // n8n stores it a moment later.
  return response.status === 404 ? 'new' : `n8n's API responds with status ${response.status}`;
}

export default function () {
  const begun = Date.now();
  const started = http.post(`${BASE_URL}${WEBHOOK}`, null, { tags: { name: WEBHOOK } });
  if (!check(started, { 'it was started': ({ status }) => status === 200 })) return;
  const id = String(started.json('id'));
  let status = statusOf(id);
  while (['new', 'running', 'waiting'].includes(status)) {
    if (Date.now() - begun > LONGEST_SECONDS * 1000) break;
    sleep(0.5);
    status = statusOf(id);
  }
  worked.add(Date.now() - begun);
  check(status, { 'it has succeeded': (text) => text === 'success' });
}
