// One drill, as plans of drills measure it: what is kept of its record and its ledger.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotMeasured, root } from '../in-parts.mjs';
import { seenIn } from './ledger.mjs';

/** PASS and FAIL; of the others nothing is kept. */
const ENDINGS = [0, 1];

/** `commandOf` gives the call of the command for a part. */
export const measuredDrill =
  (commandOf) =>
  async (part, { call, out, isShort }) => {
    const { code, record } = await call(commandOf(part, { root, out, isShort }));
    if (!ENDINGS.includes(code) && !isShort) {
      throw new NotMeasured(
        record.verdict.invalid.join('; ') || `n8n-tuned drill ended with ${code}`,
      );
    }
    const { folder, ...drill } = record;
    const ledger = readFileSync(join(folder, 'ledger.csv'), 'utf8');
    return {
      record: { ...seenIn(ledger, drill.phases.faultMs), drill },
      sentence: record.verdict.sentence,
    };
  };
