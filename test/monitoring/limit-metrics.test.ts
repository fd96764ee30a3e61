// The limits that a script adds to n8n's metrics, with n8n's own prom-client.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { n8nFolder, node24 } from '../nodes/support/lab';
import { chart } from '../chart/support/helm.ts';
import { N8N_VERSION } from '../support/versions';

const run = promisify(execFile);
const script = join(chart, 'files/preload/limit-metrics.cjs');
const SHOW = `require('prom-client').register.metrics().then((text) => console.log(text))`;
/** n8n 1.123 does this before it registers its own. */
const CLEAR = `require('prom-client').register.clear();`;

/** The metrics of a process that was started with these words, as n8n is (`n8n worker --concurrency=5`). */
async function metricsOf(
  words: string[],
  env: Record<string, string> = {},
  program = SHOW,
): Promise<string> {
  const { stdout } = await run(
    node24(),
    ['--max-old-space-size=300', '--require', script, '-e', program, 'n8n', ...words],
    {
      cwd: n8nFolder(N8N_VERSION),
      env: { PATH: process.env['PATH'] ?? '', ...env },
    },
  );
  return stdout;
}

test('every process tells the limit of its heap', async () => {
  const [, bytes] = /^n8n_tuned_heap_limit_bytes (\d+)$/m.exec(await metricsOf(['start'])) ?? [];
  // Old space and, beside it, the young generation.
  expect(Number(bytes) / 2 ** 20).toBeGreaterThanOrEqual(300);
  expect(Number(bytes) / 2 ** 20).toBeLessThan(600);
});

test.each([
  [['worker'], {}, 10],
  [['worker', '--concurrency=25'], {}, 25],
  [['worker', '--concurrency', '7'], {}, 7],
  [['worker', '--concurrency=25'], { N8N_CONCURRENCY_PRODUCTION_LIMIT: '3' }, 3],
  [['worker', '--concurrency=25'], { N8N_CONCURRENCY_PRODUCTION_LIMIT: '-1' }, 25],
])('a worker of %j and %j tells %i slots', async (words, env, slots) => {
  expect(await metricsOf(words, env)).toContain(
    `\nn8n_tuned_worker_concurrency ${String(slots)}\n`,
  );
});

test('an n8n that clears the registry when it starts tells its limits and its patches all the same', async () => {
  const metrics = await metricsOf(['worker'], {}, CLEAR + CLEAR + SHOW);
  expect(metrics).toContain('\nn8n_tuned_worker_concurrency 10\n');
  expect(metrics).toContain('n8n_tuned_patch_in_force{patch="limit-metrics",state="known"} 1');
});

test('another process has no slots', async () => {
  expect(await metricsOf(['start'])).not.toContain('n8n_tuned_worker_concurrency');
});

test('it is left out on a word', async () => {
  const metrics = await metricsOf(['worker'], { N8N_TUNED_WITHOUT: 'limit-metrics' });
  expect(metrics).not.toContain('n8n_tuned');
});
