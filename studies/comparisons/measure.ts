// Compares n8n as it comes with n8n tuned, and one topology with itself.
import { NotMeasured, type Part, type Study } from '../../cli/src/features/study/study';
import { COMPARISON_FILES, filesIn } from '../../cli/src/features/study/kept';

/** Clients and times of the closed loop: work that takes 5 s needs more of both. */
const QUICK = ['--vus', '8', '--warmup', '2s', '--duration', '8s', '--pairs', '8'];
/** For a difference that may be small. */
const FINE = ['--vus', '8', '--warmup', '2s', '--duration', '15s', '--pairs', '12'];
const waiting = (clients: number): string[] => [
  ...['--vus', String(clients), '--warmup', '6s', '--duration', '15s', '--pairs', '4'],
];

type Row = [name: string, workload: string, a: string, b: string, load: string[]];
const COMPARISONS: Row[] = [
  ['same-regular', 'last-node', 'regular-default', 'regular-default', QUICK],
  ['last-node-regular', 'last-node', 'regular-none', 'regular-default', QUICK],
  ['last-node-queue', 'last-node', 'queue-none', 'queue-default', QUICK],
  ['expressions-regular', 'expressions', 'regular-none', 'regular-default', QUICK],
  ['expressions-queue', 'expressions', 'queue-none', 'queue-default', QUICK],
  ['items-regular', 'items', 'regular-none', 'regular-default', QUICK],
  ['items-queue', 'items', 'queue-none', 'queue-default', QUICK],
  ['wait-regular', 'wait-5s', 'regular-none', 'regular-default', waiting(100)],
  ['wait-queue', 'wait-5s', 'queue-none', 'queue-default', waiting(40)],
  ['wait-queue-io-bound', 'wait-5s', 'queue-none', 'queue-io-bound', waiting(40)],
  ['last-node-throughput', 'last-node', 'regular-none', 'regular-throughput', QUICK],
  ['queue-throughput', 'last-node', 'queue-default', 'queue-throughput', FINE],
  ['data-on-disk', 'items', 'regular-default', 'regular-data-on-disk', FINE],
  ['layout-webhook-queue', 'last-node', 'queue-one-worker', 'queue-webhook-processor', QUICK],
];

interface Comparison extends Part {
  words: string[];
}

const file = (name: string): string => `studies/comparisons/${name}.yaml`;

export default {
  parts: COMPARISONS.map(([name, workload, a, b, load]) => ({
    ...{ name, seconds: 210 },
    words: ['compare', file(a), file(b), '--workload', workload, ...load],
  })),
  async measured({ words }, { call, scratch, isShort }) {
    const short = isShort ? ['--duration', '2s', '--pairs', '2'] : [];
    const { record } = await call<{ folder: string; sentence: string }>([
      ...[...words, ...short, '--out', scratch],
    ]);
    const files = filesIn(record.folder, COMPARISON_FILES);
    if (files.size === 0) throw new NotMeasured('the comparison has left no record');
    return { files, sentence: record.sentence };
  },
} satisfies Study<Comparison>;
