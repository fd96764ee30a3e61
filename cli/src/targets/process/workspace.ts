import {
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runUser, sameUser, type RunUser } from './run-user';
import type { ProcessSpec } from './supervisor';

/** The working folder of a process, and its log. */
export type ProcessPlace = Pick<ProcessSpec, 'folder' | 'log'>;

/**
 * The folder of one topology: the data and the logs of all its processes. Its user may pass through it, and owns the
 * folders of its processes; in the folder itself, in that of the logs and of the configuration only the command writes,
 * so that no path that it uses can be turned into another one.
 */
export class Workspace {
  readonly logFolder: string;
  /** Folder for temporary files of its processes. */
  readonly tempFolder: string;

  constructor(
    readonly user: RunUser = sameUser,
    readonly folder = newFolder(),
  ) {
    this.logFolder = join(folder, 'logs');
    mkdirSync(this.logFolder, { mode: 0o700 });
    this.tempFolder = this.make('temp');
  }

  /** With a user of its own, where there can be one. */
  static async open(
    tools: Parameters<typeof runUser>[1],
    files?: Readonly<Record<string, string>>,
  ): Promise<Workspace> {
    const folder = newFolder();
    try {
      return new Workspace(await runUser(folder, tools, files), folder);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get logs(): string[] {
    return readdirSync(this.logFolder).map((name) => join(this.logFolder, name));
  }

  /** A folder of its user. */
  make(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { id } = this.user;
    if (id !== null) lchownSync(folder, id, id);
    return folder;
  }

  place(name: string): ProcessPlace {
    return { folder: this.make(name), log: join(this.logFolder, `${name}.log`) };
  }

  /** A file that its user may read: its path. */
  writeConfig(name: string, text: string): string {
    const folder = join(this.folder, 'config');
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o640 });
    const { id } = this.user;
    if (id !== null) for (const path of [folder, file]) lchownSync(path, 0, id);
    return file;
  }

  lastLogLines(instance: string): string {
    return lastWords(readFileSync(join(this.logFolder, `${instance}.log`), 'utf8'));
  }

  /** Once nothing runs in it. */
  async remove(): Promise<void> {
    await this.user.end(); // Then nobody can put a link into the way of what is removed.
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'n8n-tuned-'));

const LINES = 3;
/** V8's frames and headings of an abort, which tell an operator nothing and stand behind the line that does. */
const NOISE = /^(\d+: 0x[0-9a-f]+|-+ .* -+$|<--- .* --->$|\[\d+:0x[0-9a-f]+\])/;

/** The last lines of a log that tell why its process ended. */
export function lastWords(log: string): string {
  const lines = log.split('\n').map((line) => line.trim());
  const telling = lines.filter((line) => line !== '' && !NOISE.test(line));
  return telling.slice(-LINES).join(' ') || 'nothing';
}
