/** What a call makes with an engine, written down before it is made: a killed call is cleaned by it. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { cacheFolder } from '../../lab/paths';
import { readPlainFile } from '../../linux/plain-file';
import { isAlive, processNameSchema, thisProcess } from '../../linux/proc';
import { makeFolder, writeWhole } from '../../record/folder';

const schema = z.object({
  call: z.string(),
  owner: processNameSchema,
  engine: z.string(),
  containers: z.array(z.string()),
});
export type Entry = z.infer<typeof schema>;

const folder = (): string => join(cacheFolder(), 'containers');
const fileOf = (call: string): string => join(folder(), `${call}.json`);

export class Journal {
  private readonly containers = new Set<string>();

  constructor(
    private readonly call: string,
    private readonly engine: string,
  ) {}

  add(container: string): void {
    this.containers.add(container);
    makeFolder(folder());
    const { call, engine } = this;
    const entry: Entry = { call, owner: thisProcess(), engine, containers: [...this.containers] };
    writeWhole(fileOf(call), JSON.stringify(entry));
  }

  /** Nothing of it is left. */
  end(): void {
    forget(this.call);
  }
}

export const forget = (call: string): void => {
  rmSync(fileOf(call), { force: true });
};

/** Of calls on this machine that have ended without removing what they made, and of those that still run. */
export function journalled(): (Entry & { isRunning: boolean })[] {
  return names().flatMap((name) => {
    try {
      const entry = schema.parse(JSON.parse(readPlainFile(join(folder(), name))));
      return [{ ...entry, isRunning: isAlive(entry.owner) }];
    } catch {
      return [];
    }
  });
}

function names(): string[] {
  try {
    return readdirSync(folder()).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}
