import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastWords } from './last-words';
import type { ProcessSpec } from './supervisor';

/** Where a process works and writes its log. */
export type ProcessPlace = Pick<ProcessSpec, 'folder' | 'log'>;

/** The folder of one topology: the data and the logs of all its processes. */
export class Workspace {
  readonly folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-'));
  readonly logFolder = join(this.folder, 'logs');

  constructor() {
    chmodSync(this.folder, 0o711); // PostgreSQL's own user must reach its data.
    mkdirSync(this.logFolder);
  }

  get logs(): string[] {
    return readdirSync(this.logFolder).map((name) => join(this.logFolder, name));
  }

  place(name: string): ProcessPlace {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    return { folder, log: join(this.logFolder, `${name}.log`) };
  }

  lastLogLines(instance: string): string {
    return lastWords(readFileSync(join(this.logFolder, `${instance}.log`), 'utf8'));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
