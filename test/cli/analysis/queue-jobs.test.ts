import fc from 'fast-check';
import { queueJobs } from '../../../cli/src/analysis/queue-jobs';

const shown = (waiting: number, active: number, prefix = 'n8n_'): string =>
  [
    `# TYPE ${prefix}scaling_mode_queue_jobs_waiting gauge`,
    `${prefix}scaling_mode_queue_jobs_waiting ${String(waiting)}`,
    `${prefix}scaling_mode_queue_jobs_active{pod="a"} ${String(active)}`,
    `${prefix}scaling_mode_queue_jobs_completed 7`,
    '',
  ].join('\n');
const WORKER = 'n8n_process_cpu_seconds_total 3\n';

test('however many mains there are, the queue is counted once', () => {
  const mains = fc.array(fc.tuple(fc.nat(5000), fc.nat(500)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(mains, fc.nat(3), (all, workers) => {
      const texts = [
        ...all.map(([waiting, active]) => shown(waiting, active)),
        ...Array<string>(workers).fill(WORKER),
      ];
      expect(queueJobs(texts)).toEqual({
        waiting: Math.max(...all.map(([waiting]) => waiting)),
        active: Math.max(...all.map(([, active]) => active)),
      });
    }),
  );
});

test('jobs are counted whatever the prefix of the metrics, and none where nothing shows a queue', () => {
  expect(queueJobs([shown(3, 2, 'acme_')])).toEqual({ waiting: 3, active: 2 });
  expect(queueJobs([WORKER, ''])).toBeNull();
  expect(queueJobs([])).toBeNull();
});
