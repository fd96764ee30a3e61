import { listOfWritten, removeWritten, writeBeside } from '../../record/write-beside';
import { reportFiles } from '../../report/files';
import { renderSweepCsv } from './report/csv';
import { sweepDocument } from './report/document';
/** The folder of a sweep: sweep.json first, then a folder a step, whose cell.json says that it is done. */
import { SWEEP_FILE } from '../../record/find-records';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from './plan/cells';
import { makeFolder, writeWhole } from '../../record/folder';
import { cellRecordSchema, sweepRecordSchema, type CellRecord, type SweepRecord } from './record';
import { readObjectFile, readRecordFile } from '../../record/parse';
import { isAlive, processNameSchema, thisProcess } from '../../linux/proc';
import { messageOf, Mistake } from '../../ui/exit';

export const CELL_FILE = 'cell.json';
const OWNER_FILE = 'in-work.json';

export class SweepFolder {
  constructor(readonly path: string) {}

  /** The sweep that is here already; null where there is none. */
  sweep(): SweepRecord | null {
    const file = join(this.path, SWEEP_FILE);
    if (!existsSync(file)) return null;
    return readRecordFile(file, {
      ...{ what: 'a sweep', kind: 'sweep', version: 1 },
      schema: sweepRecordSchema,
    });
  }

  /** Else its reports would go over files of somebody's. */
  refuseForeign(): void {
    const names = namesIn(this.path);
    if (names.length === 0 || names.includes(SWEEP_FILE)) return;
    throw new Mistake(
      `${this.path} already exists, and n8n-tuned did not write it: choose another folder with --out, or rename the plan.`,
    );
  }

  begin(sweep: SweepRecord): void {
    this.refuseForeign();
    try {
      makeFolder(this.path);
      writeWhole(join(this.path, SWEEP_FILE), json(sweep));
    } catch (error) {
      throw new Mistake(
        `${this.path} cannot be written: ${messageOf(error)}; choose another folder with --out.`,
      );
    }
  }

  /** In the order of the steps; a step that was broken off has none. */
  records({ steps }: SweepRecord): CellRecord[] {
    return steps.flatMap((step, index) => {
      const file = join(this.cell(step, index), CELL_FILE);
      return existsSync(file) ? [readCell(file)] : [];
    });
  }

  /** Empty: what a broken-off attempt left there is no measurement. */
  emptyCell(step: Step, index: number): string {
    const folder = this.cell(step, index);
    rmSync(folder, { recursive: true, force: true });
    makeFolder(folder);
    return folder;
  }

  done(index: number, record: CellRecord): void {
    writeWhole(join(this.cell(record, index), CELL_FILE), json(record));
  }

  /** The folder of a step, such as `cells/007-control-2`. */
  cell({ block, isControl, id }: Step, index: number): string {
    const name = isControl ? id : `block-${String(block)}`;
    return join(this.path, 'cells', `${String(index + 1).padStart(3, '0')}-${name}`);
  }

  /** Two commands at one sweep would measure each other. A killed owner's claim counts no more. */
  claim(): () => void {
    const file = join(this.path, OWNER_FILE);
    if (existsSync(file)) {
      const owner = readObjectFile(file, 'the claim of a sweep', processNameSchema);
      if (owner.pid !== process.pid && isAlive(owner)) {
        throw new Mistake(
          `the sweep in ${this.path} is being measured by process ${String(owner.pid)}: wait until it has ended.`,
        );
      }
    }
    writeWhole(file, json(thisProcess()));
    return () => {
      rmSync(file, { force: true });
    };
  }
}

/** What is no folder that can be read, nothing can be written in either. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const readCell = (file: string): CellRecord =>
  readRecordFile(file, {
    ...{ what: 'a cell of a sweep', kind: 'cell', version: 2 },
    schema: cellRecordSchema,
  });

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Beside sweep.json; they can always be made again. Returns what could not be written. */
export function writeSweepReports(
  folder: string,
  sweep: SweepRecord,
  records: readonly CellRecord[],
): string[] {
  const files = [
    ...reportFiles(sweepDocument(sweep, records)),
    { name: 'cells.csv', content: renderSweepCsv(records) },
  ];
  const plots = files.flatMap(({ name }) => /^plots\/(.*)$/.exec(name)?.[1] ?? []);
  const { name, content } = listOfWritten(plots);
  removeWritten(join(folder, 'plots'));
  return writeBeside(folder, [{ name: `plots/${name}`, content }, ...files]);
}
