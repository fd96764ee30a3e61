// One drill, as plans of drills measure it: what is kept of its record and its ledger.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DrillRecord } from '../../cli/src/features/drill/record';
import {
  NotMeasured,
  type PartMeasured,
  type Measuring,
  type Part,
} from '../../cli/src/features/study/study';
import type { RunRecord } from '../../cli/src/record/run-record';
import { restartsIn, seenIn } from './ledger';
import { codeIn } from './code';
import { isUnread, type CallOf } from './parts';

/** PASS and FAIL; nothing is kept of the others. */
const ENDINGS = [0, 1];

const root = join(import.meta.dirname, '../..');

/** `commandOf` gives the call of the command for a part, `also` what else is kept of its record and its ledger. */
export const measuredDrill =
  <Own extends Part>(
    commandOf: (part: Own, call: CallOf) => string[],
    also: (drill: DrillRecord, csv: string) => object = () => ({}),
  ) =>
  async (part: Own, { call, scratch: out, isShort }: Measuring): Promise<PartMeasured> => {
    const { code, record, ending } = await call<DrillRecord & { folder: string; run: string }>(
      commandOf(part, { root, out, isShort }),
    );
    if (!ENDINGS.includes(code) && !isShort) {
      throw new NotMeasured(record.verdict.invalid.join('; ') || ending);
    }
    if (isUnread({ drill: record }) && !isShort) {
      throw new NotMeasured(
        `what became of ${String(record.ledger.classes.unknown.requests)} requests is unknown: ${record.ledger.withoutExecutions ?? ''}`,
      );
    }
    const { folder, ...drill } = record;
    const textOf = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8');
    const faultMs = drill.phases.faultMs ?? 0;
    const madeMs = drill.fault.done[0]?.tMs ?? faultMs;
    const run = JSON.parse(textOf(record.run, 'run.json')) as RunRecord;
    const csv = textOf('ledger.csv');
    return {
      record: {
        ...{ ...seenIn(csv, { faultMs, madeMs }), ...also(drill, csv) },
        ...{ restarts: restartsIn(run, faultMs), code: codeIn(root), drill },
      },
      sentence: record.verdict.sentence,
    };
  };
