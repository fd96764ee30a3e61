import { N8N_LEGACY_VERSION, N8N_VERSION } from '../support/versions';
import { startN8n, type RunningN8n } from '../workflows/support/n8n';
import { eventually, until } from '../support/wait';

/** The published experiment: 512 MB of text under a heap that is too small, and under one that fits. */
const cases = [
  {
    title: `n8n ${N8N_LEGACY_VERSION}`,
    version: N8N_LEGACY_VERSION,
    file: 'legacy/memory-hog.json',
    heap: (mib: number) => ({
      NODE_OPTIONS: `--max-old-space-size=${String(mib)}`,
      EXECUTIONS_PROCESS: 'main',
    }),
  },
  {
    title: `n8n ${N8N_VERSION} with Load Target`,
    version: N8N_VERSION,
    file: 'load-target/memory-hog.json',
    withLoadTarget: true,
    heap: (mib: number) => ({ NODE_OPTIONS: `--max-old-space-size=${String(mib)}` }),
  },
];

const statuses = (n8n: RunningN8n): unknown[] =>
  n8n.query('SELECT status FROM execution_entity').map(({ status }) => status);

describe.each(cases)('memory-hog on $title', ({ file, heap, ...layout }) => {
  it('ends n8n where the heap is too small', async () => {
    const n8n = await startN8n({ ...layout, files: [file], env: heap(448) });
    try {
      let isOver = false;
      void n8n.ended.then(() => (isOver = true));
      await eventually(() => isOver, 240_000);
      expect(n8n.log()).toMatch(/JavaScript heap out of memory/);
    } finally {
      await n8n.stop();
    }
  }, 600_000);

  it('runs again and again where it fits', async () => {
    const n8n = await startN8n({ ...layout, files: [file], env: heap(1536) });
    try {
      const done = await until(
        'a second execution',
        () => {
          const all = statuses(n8n).filter((status) => status === 'success');
          return all.length >= 2 ? all : undefined;
        },
        240_000,
      );
      expect(done.length).toBeGreaterThanOrEqual(2);
      expect(n8n.log()).not.toContain('JavaScript heap out of memory');
    } finally {
      await n8n.stop();
    }
  }, 600_000);
});

describe(`memory-hog on n8n ${N8N_VERSION} with only the nodes that n8n ships`, () => {
  it('fails the execution, not n8n, where the heap of the task runner is too small', async () => {
    const n8n = await startN8n({
      version: N8N_VERSION,
      files: ['memory-hog.json'],
      env: { N8N_RUNNERS_MAX_OLD_SPACE_SIZE: '256' },
    });
    try {
      const failed = await until(
        'a failed execution',
        () => statuses(n8n).find((status) => status === 'error'),
        240_000,
      );
      expect(failed).toBe('error');
      expect((await fetch(`${n8n.baseUrl}/healthz`)).status).toBe(200);
    } finally {
      await n8n.stop();
    }
  }, 600_000);
});
