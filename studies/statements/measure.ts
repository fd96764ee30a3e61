// Which statements n8n sends to PostgreSQL for one execution of last-node, and what in n8n asks for each: as it comes and
// with the chart's defaults.
//
// One client, so that no two executions mix. Statements are counted, not timed: the stack that is noted for each takes time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotMeasured, type Part, type Study } from '../../cli/src/features/study/study';
import type { RunRecord } from '../../cli/src/record/run-record';
import { folderForN8n } from '../up';
import { statementsOf, type Captured } from './summary';

const WARMUP_SECONDS = 5;
const SECONDS = 10;
/** From the call to the load, and to the end of n8n. */
const AROUND_SECONDS = 60;
/** The number of frames of the stack: TypeORM's come first. */
const FRAMES = 60;

const TOPOLOGIES = {
  regular: ['--mode', 'regular', '--database', 'postgresql'],
  queue: ['--mode', 'queue', '--workers', '1', '--webhooks', '1'],
};

interface StatementsPart extends Part {
  mode: keyof typeof TOPOLOGIES;
  tuning: string;
}

const PARTS: StatementsPart[] = (['regular', 'queue'] as const).flatMap((mode) =>
  ['none', 'default'].map((tuning) => ({
    ...{ name: `${mode}-${tuning}`, mode, tuning },
    seconds: AROUND_SECONDS + WARMUP_SECONDS + SECONDS,
  })),
);

const linesOf = (file: string): Captured[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Captured);

export default {
  parts: PARTS,
  async measured({ mode, tuning }, { call, scratch, isShort }) {
    const captured = join(folderForN8n(scratch, 'captured'), 'statements.jsonl');
    const { record } = await call<RunRecord>([
      ...['run', ...TOPOLOGIES[mode], '--workload', 'last-node', '--tuning', tuning],
      ...['--profile', 'closed', '--vus', '1', '--warmup', `${String(WARMUP_SECONDS)}s`],
      ...['--duration', `${String(isShort ? 3 : SECONDS)}s`],
      ...['--env', `NODE_OPTIONS=--require=${join(import.meta.dirname, '../limits/capture.cjs')}`],
      ...['--env', `CAPTURED_STATEMENTS=${captured}`, '--env', `CAPTURED_FRAMES=${String(FRAMES)}`],
      ...['--ready', '2m', '--out', scratch],
    ]);
    const { loadBeganAt, profile, summary, versions } = record;
    const fromMs = Date.parse(loadBeganAt ?? '') + 1000 * profile.warmupSeconds;
    const toMs = fromMs + 1000 * profile.durationSeconds;
    const { requests: responses } = summary.achieved;
    if (!(responses > 0)) throw new NotMeasured('there was no response');
    const counted = statementsOf(linesOf(captured), { fromMs, toMs, responses });
    const total = counted.statements.reduce((sum, { perResponse }) => sum + perResponse, 0);
    return {
      record: { responses, seconds: profile.durationSeconds, versions, ...counted },
      sentence: `${total.toFixed(1)} statements for each of ${String(responses)} responses`,
    };
  },
} satisfies Study<StatementsPart>;
