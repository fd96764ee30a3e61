import { graceMsOf } from '../../../../cli/src/targets/process/grace';

test.each([
  [{}, 45],
  [{ N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '300' }, 315],
  // n8n below 1.27 knows only this one.
  [{ QUEUE_WORKER_TIMEOUT: '60' }, 75],
  [{ N8N_GRACEFUL_SHUTDOWN_TIMEOUT: 'soon' }, 45],
])('%j: %i s, as the chart gives a worker', (env, seconds) => {
  expect(graceMsOf(env)).toBe(1000 * seconds);
});
