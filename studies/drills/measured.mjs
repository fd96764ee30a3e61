// One drill, as plans of drills measure it: what is kept of its record and its ledger.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotMeasured, root } from '../in-parts.mjs';
import { restartsIn, seenIn } from './ledger.mjs';

/** PASS and FAIL; of the others nothing is kept. */
const ENDINGS = [0, 1];

/** `commandOf` gives the call of the command for a part, `also` what else is kept of its record and its ledger. */
export const measuredDrill =
  (commandOf, also = () => ({})) =>
  async (part, { call, out, isShort }) => {
    const { code, record, ending } = await call(commandOf(part, { root, out, isShort }));
    if (!ENDINGS.includes(code) && !isShort) {
      throw new NotMeasured(record.verdict.invalid.join('; ') || ending);
    }
    const { folder, ...drill } = record;
    const textOf = (...path) => readFileSync(join(folder, ...path), 'utf8');
    const { faultMs } = drill.phases;
    const madeMs = drill.fault.done[0].tMs;
    const restarts = restartsIn(JSON.parse(textOf(record.run, 'run.json')), faultMs);
    const csv = textOf('ledger.csv');
    return {
      record: { ...seenIn(csv, { faultMs, madeMs }), ...also(drill, csv), restarts, drill },
      sentence: record.verdict.sentence,
    };
  };
