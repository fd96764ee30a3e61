// Which statements n8n sends to PostgreSQL for one execution of last-node, and what in n8n asks for each: as it comes and
// with the chart's defaults.
//
//   make lab build
//   node studies/statements/measure.mjs --list           what there is, what has a record, and how long it takes
//   node studies/statements/measure.mjs --within 10m     one after the other, as long as the next one still fits
//
// One client, so that no two executions mix. Statements are counted, not timed: the stack that is noted for each takes time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf } from '../command-of.mjs';
import { recordsOf } from '../archive.mjs';
import { measureParts, NotMeasured } from '../in-parts.mjs';
import { statementsOf } from './summary.mjs';

const WARMUP_SECONDS = 5;
const SECONDS = 10;
/** From the call to the load, and to the end of n8n. */
const AROUND_SECONDS = 60;
/** Of the stack: TypeORM's come first. */
const FRAMES = 60;

const TOPOLOGIES = {
  regular: ['--mode', 'regular', '--database', 'postgresql'],
  queue: ['--mode', 'queue', '--workers', '1', '--webhooks', '1'],
};
const PARTS = Object.keys(TOPOLOGIES).flatMap((mode) =>
  ['none', 'default'].map((tuning) => ({
    ...{ name: `${mode}-${tuning}`, mode, tuning },
    seconds: AROUND_SECONDS + WARMUP_SECONDS + SECONDS,
  })),
);

function callOf({ mode, tuning }, { out, captured, isShort }) {
  return [
    ...['run', ...TOPOLOGIES[mode], '--workload', 'last-node', '--tuning', tuning],
    ...['--profile', 'closed', '--vus', '1'],
    ...['--warmup', `${WARMUP_SECONDS}s`, '--duration', `${isShort ? 3 : SECONDS}s`],
    ...['--env', `NODE_OPTIONS=--require=${join(import.meta.dirname, '../limits/capture.cjs')}`],
    ...['--env', `CAPTURED_STATEMENTS=${captured}`, '--env', `CAPTURED_FRAMES=${FRAMES}`],
    ...['--ready', '2m', '--out', out, '--json'],
  ];
}

const linesOf = (file) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

async function measured(part, { call, out, isShort }) {
  const captured = join(out, 'statements.jsonl');
  const { record } = await call(callOf(part, { out, captured, isShort }));
  const { loadBeganAt, profile, summary, versions, machine } = record;
  const fromMs = Date.parse(loadBeganAt) + 1000 * profile.warmupSeconds;
  const toMs = fromMs + 1000 * profile.durationSeconds;
  const { requests: responses } = summary.achieved;
  if (!(responses > 0)) throw new NotMeasured('there was no response');
  const counted = statementsOf(linesOf(captured), { fromMs, toMs, responses });
  const total = counted.statements.reduce((sum, { perResponse }) => sum + perResponse, 0);
  return {
    record: {
      // Of this part alone, whatever was asked for with it.
      command: commandOf(import.meta.filename, [part.name]),
      ...{ responses, seconds: profile.durationSeconds, versions, machine, ...counted },
    },
    sentence: `${part.name}: ${total.toFixed(1)} statements for each of ${responses} responses`,
  };
}

await measureParts({
  parts: PARTS,
  kept: recordsOf('statements'),
  about: 'studies/statements/measure.mjs',
  shownOut: 'results/statements',
  whyNot: () => null,
  measured,
});
