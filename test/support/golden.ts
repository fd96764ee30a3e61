import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER = join(__dirname, '..', 'golden');

/**
 * What users read, kept as a file: a change of it is then seen in a review. With UPDATE_GOLDEN=1 the file is written
 * anew instead.
 */
export function expectGolden(name: string, content: string): void {
  const file = join(FOLDER, name);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return;
  }
  const golden = existsSync(file) ? readFileSync(file, 'utf8') : null;
  if (golden === content) return;
  throw new Error(
    golden === null
      ? `test/golden/${name} is missing: UPDATE_GOLDEN=1 writes it.`
      : `${firstDifference(golden, content, name)}\nWhere this is what you want, run the same with UPDATE_GOLDEN=1 and commit test/golden.`,
  );
}

function firstDifference(golden: string, content: string, name: string): string {
  const [old, now] = [golden.split('\n'), content.split('\n')];
  const at = old.findIndex((line, index) => line !== now[index]);
  const index = at < 0 ? old.length : at;
  return [
    `test/golden/${name} differs from line ${String(index + 1)} on:`,
    `- ${old[index] ?? '(the end)'}`,
    `+ ${now[index] ?? '(the end)'}`,
  ].join('\n');
}
