import { of, webhook, type Case, type CasesByAlert } from '../support/case';

const path = { method: 'POST', webhook_path: 'order', workflow_id: 'a' };
const count = (status: string): string =>
  of('n8n_webhook_request_duration_seconds_count', webhook, { ...path, status_code: status });
const within = (seconds: string): string =>
  of('n8n_webhook_request_duration_seconds_bucket', webhook, {
    ...path,
    status_code: '200',
    le: seconds,
  });

/** Requests a minute that succeed and that fail, from the beginning. */
const failing = (good: number, bad: number, atMinute: number): Case => ({
  series: { [count('200')]: `0+${String(good)}x500`, [count('500')]: `0+${String(bad)}x500` },
  atMinute,
});

/** Requests a minute of which so many took at most ten seconds. */
const slow = (all: number, quick: number, atMinute: number, bound = '10'): Case => ({
  series: { [count('200')]: `0+${String(all)}x500`, [within(bound)]: `0+${String(quick)}x500` },
  atMinute,
});

export const webhooks: CasesByAlert = {
  N8nWebhookErrorsFast: {
    fires: [
      {
        ...failing(50, 50, 70),
        summary: '50% of webhook requests receive a 5xx status.',
      },
    ],
    silent: [
      failing(90, 10, 70),
      { series: { [count('200')]: '0+100x80', [count('404')]: '0+100x80' }, atMinute: 70 },
      // A single caller at night.
      failing(0, 1, 70),
      // It was bad, and is over.
      {
        series: { [count('200')]: '0+10x60 700+100x30', [count('500')]: '0+90x60 5400x30' },
        atMinute: 75,
      },
      // Five bad minutes in a good hour.
      {
        series: { [count('200')]: '0+100x60 6000+20x10', [count('500')]: '0x60 80+80x10' },
        atMinute: 65,
      },
    ],
  },
  N8nWebhookErrorsSlow: {
    fires: [
      {
        ...failing(90, 10, 400),
        summary: '10% of webhook requests have received a 5xx status for hours.',
      },
    ],
    silent: [failing(96, 4, 400), failing(0, 1, 400)],
  },
  N8nWebhookLatencyFast: {
    fires: [
      { ...slow(60, 6, 70), summary: '90% of webhook requests take longer than 10 s.' },
      // Prometheus 3 writes the bound like this.
      { ...slow(60, 6, 70, '10.0'), summary: '90% of webhook requests take longer than 10 s.' },
    ],
    silent: [slow(60, 30, 70), slow(1, 0, 70)],
  },
  N8nWebhookLatencySlow: {
    fires: [
      {
        ...slow(60, 30, 400),
        summary: '50% of webhook requests take longer than 10 s, and have done so for hours.',
      },
    ],
    silent: [slow(60, 45, 400), slow(60, 60, 400)],
  },
};
