import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeWhole } from './folder';
import { failureText } from './table-file';

/**
 * Writes reports beside a record; they can always be made again, so a failure costs nothing recorded.
 * Returns what could not be written, a sentence each.
 */
export function writeBeside(
  folder: string,
  files: readonly { name: string; content: string }[],
): string[] {
  for (const { name, content } of files) {
    const file = join(folder, name);
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeWhole(file, content);
    } catch (error) {
      return [failureText(file, error)];
    }
  }
  return [];
}
