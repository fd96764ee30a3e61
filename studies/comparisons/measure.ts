// Compares n8n as it comes with n8n tuned, one topology with itself, and n8n as a process with n8n as a container.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, pinned, readVersions } from '../../cli/src/lab/paths';
import {
  NotMeasured,
  type Measuring,
  type Part,
  type Study,
} from '../../cli/src/features/study/study';
import { COMPARISON_FILES, filesIn } from '../../cli/src/features/study/kept';
import { withN8n } from '../up';

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
  ['three-variables', 'last-node', 'regular-none', 'regular-three-variables', QUICK],
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
  /** Its two files; left out: the same n8n as a process and as a container. */
  files?: [string, string];
  workload: string;
  load: string[];
}

const file = (name: string): string => `studies/comparisons/${name}.yaml`;

/** Whether both are alike shows in an interval of a tenth. */
const ALIKE = ['--vus', '8', '--warmup', '2s', '--duration', '8s', '--pairs', '30', '--precision'];
const TARGETS: Comparison[] = ['last-node', 'expressions'].map((workload) => ({
  ...{ name: `container-${workload}`, seconds: 420, workload, load: [...ALIKE, '10%'] },
}));
const image = (): string =>
  join(cacheFolder(), 'images', `n8n-${pinned(readVersions(), 'N8N_VERSION')}.tar`);

/** What is compared: two files, or the addresses of two n8n that are up. */
const withSides = <Result>(
  { files, workload }: Comparison,
  measuring: Measuring,
  use: (sides: readonly string[]) => Promise<Result>,
): Promise<Result> => {
  if (files !== undefined) return use(files);
  const words = ['--workload', workload];
  const container = ['--target', 'container', '--image', image(), ...words];
  return withN8n(measuring, { name: 'comparison-process', words }, (one) =>
    withN8n(measuring, { name: 'comparison-container', words: container }, (other) =>
      use([one.baseUrl, other.baseUrl]),
    ),
  );
};

export default {
  parts: [
    ...COMPARISONS.map(([name, workload, a, b, load]): Comparison => ({
      ...{ name, seconds: 210, workload, load },
      files: [file(a), file(b)],
    })),
    ...TARGETS,
  ],
  whyNot: ({ files }) =>
    files !== undefined || existsSync(image())
      ? null
      : 'the image of n8n is missing: lab/install.sh image-archives',
  async measured(part, measuring) {
    const { call, scratch, isShort } = measuring;
    const short = isShort ? ['--duration', '2s', '--pairs', '2'] : [];
    const { record } = await withSides(part, measuring, (sides) =>
      call<{ folder: string; sentence: string }>([
        ...['compare', ...sides, '--workload', part.workload, ...part.load, ...short],
        ...['--out', scratch],
      ]),
    );
    const files = filesIn(record.folder, COMPARISON_FILES);
    if (files.size === 0) throw new NotMeasured('the comparison has left no record');
    return { files, sentence: record.sentence };
  },
} satisfies Study<Comparison>;
