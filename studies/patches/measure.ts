// What each patch is worth: the default profile without it and with it, side by side, in turns. The names say what
// differs; `N8N_TUNED_WITHOUT` switches patches off.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { CompareRecord } from '../../cli/src/features/compare/record';
import { COMPARISON_FILES, filesIn } from '../../cli/src/features/study/kept';
import { NotMeasured, type Part, type Study } from '../../cli/src/features/study/study';
import { sidesOf } from './figures';

const EXPRESSIONS = 'lazy-character-map,warm-expressions,zone-once';
const SLOW_DATABASE = `--require=${join(import.meta.dirname, 'slow-database.cjs')}`;

type Values = Record<string, object>;
type Env = Record<string, string>;
type Side = [name: string, values: Values];

const regular = (env: Env = {}): Values => ({ executions: { mode: 'regular' }, env });
const queue = (env: Env = {}): Values => ({
  ...{ executions: { mode: 'queue' }, database: { type: 'postgresql' }, worker: { replicas: 1 } },
  env,
});
const database = (milliseconds: number, env: Env = {}): Values =>
  queue({ NODE_OPTIONS: SLOW_DATABASE, DATABASE_ROUND_TRIP_MS: String(milliseconds), ...env });
const without = (patches: string): Env => ({ N8N_TUNED_WITHOUT: patches });
const throughput = (values: Values): Values => ({ ...values, tuning: { profile: 'throughput' } });

type Row = [name: string, workload: string, clients: number, a: Side, b: Side];
const COMPARISONS: Row[] = [
  [
    ...(['expressions-regular', 'expressions', 8] as const),
    ['regular-unpatched', regular(without(EXPRESSIONS))],
    ['regular-patched', regular()],
  ],
  [
    ...(['expressions-queue', 'expressions', 8] as const),
    ['queue-unpatched', queue(without(EXPRESSIONS))],
    ['queue-patched', queue()],
  ],
  [
    ...(['lazy-map-alone', 'expressions', 8] as const),
    ['regular-unpatched', regular(without(EXPRESSIONS))],
    ['regular-lazy-map', regular(without('warm-expressions,zone-once'))],
  ],
  [
    ...(['warm-on-top', 'expressions', 8] as const),
    ['regular-without-warm-expressions', regular(without('warm-expressions'))],
    ['regular-patched', regular()],
  ],
  [
    ...(['zone-once-regular', 'expressions', 8] as const),
    ['regular-unpatched', regular(without('zone-once'))],
    ['regular-zone-once', regular()],
  ],
  [
    ...(['zone-once-queue', 'expressions', 8] as const),
    ['queue-unpatched', queue(without('zone-once'))],
    ['queue-zone-once', queue()],
  ],
  ...[0, 0.5, 1, 3].map((ms): Row => {
    const at = `queue-database-at-${String(ms)}ms`;
    return [
      ...([`session-once-${String(ms)}ms`, 'last-node', 16] as const),
      [`${at}-unpatched`, database(ms, without('session-once'))],
      [`${at}-session-once`, database(ms)],
    ];
  }),
  [
    ...(['untraced-sqlite-regular', 'last-node', 8] as const),
    ['throughput-traced', throughput(regular(without('untraced-sqlite')))],
    ['throughput-untraced', throughput(regular())],
  ],
  [
    ...(['read-once-regular', 'last-node', 16] as const),
    ['regular-unpatched', regular(without('read-once'))],
    ['regular-read-once', regular()],
  ],
  [
    ...(['read-once-queue', 'last-node', 16] as const),
    ['queue-unpatched', queue(without('read-once'))],
    ['queue-read-once', queue()],
  ],
  [
    ...(['read-once-1ms', 'last-node', 16] as const),
    ['queue-database-at-1ms-unpatched', database(1, without('read-once'))],
    ['queue-database-at-1ms-read-once', database(1)],
  ],
];

interface Comparison extends Part {
  workload: string;
  clients: number;
  sides: [Side, Side];
}

export default {
  parts: COMPARISONS.map(([name, workload, clients, a, b]) => ({
    ...{ name, seconds: 180, workload, clients, sides: [a, b] },
  })),
  async measured({ workload, clients, sides }, { call, scratch, isShort }) {
    const files = sides.map(([name, values]) => {
      const file = join(scratch, `${name}.yaml`);
      writeFileSync(file, stringify(values));
      return file;
    });
    const [warmup, duration, pairs] = isShort ? ['1s', '2s', '2'] : ['2s', '8s', '6'];
    const { record } = await call<CompareRecord & { folder: string }>([
      ...['compare', ...files, '--workload', workload, '--vus', String(clients)],
      ...['--warmup', warmup, '--duration', duration, '--pairs', pairs, '--out', scratch],
    ]);
    // The folder in which the files of a moment lie says nothing of n8n.
    const kept = filesIn(record.folder, COMPARISON_FILES, [`${scratch}/`]);
    if (kept.size === 0) throw new NotMeasured('the comparison has left no record');
    kept.set('sides.json', JSON.stringify(sidesOf(record, record.folder)));
    return { files: kept, sentence: record.sentence };
  },
} satisfies Study<Comparison>;
