/** The folder of a sweep: sweep.json first, then a folder a step, whose cell.json says that it is done. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '../plan/cells';
import { writeWhole } from '../record/folder';
import { SWEEP_FILE, type CellRecord, type SweepRecord } from '../record/sweep-record';
import { cellOfVersion1 } from '../record/version1';
import { isAlive, processName, type ProcessName } from '../linux/proc';
import { messageOf, Mistake } from '../ui/exit';

export const CELL_FILE = 'cell.json';
const OWNER_FILE = 'in-work.json';

export class SweepFolder {
  constructor(readonly path: string) {}

  /** The sweep that is here already; null where there is none. */
  sweep(): SweepRecord | null {
    const file = join(this.path, SWEEP_FILE);
    if (!existsSync(file)) return null;
    const sweep = readJson(file) as SweepRecord;
    if (sweep.kind === 'sweep' && (sweep.schemaVersion as number) === 1) return sweep;
    throw new Mistake(
      `${file} has schemaVersion ${String(sweep.schemaVersion)}, which this version of n8n-tuned does not know: take the version that wrote it, or a newer one.`,
    );
  }

  begin(sweep: SweepRecord): void {
    try {
      mkdirSync(this.path, { recursive: true });
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
    mkdirSync(folder, { recursive: true });
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
      const owner = readJson(file) as ProcessName;
      if (owner.pid !== process.pid && isAlive(owner)) {
        throw new Mistake(
          `the sweep in ${this.path} is being measured by process ${String(owner.pid)}: wait until it has ended.`,
        );
      }
    }
    writeWhole(file, json(processName(process.pid)));
    return () => {
      rmSync(file, { force: true });
    };
  }
}

function readCell(file: string): CellRecord {
  const read = readJson(file) as Record<string, unknown>;
  return (read['schemaVersion'] === 1 ? cellOfVersion1(read) : read) as unknown as CellRecord;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Mistake(`${file} cannot be read as a part of a sweep: ${messageOf(error)}.`);
  }
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
