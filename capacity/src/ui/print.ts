/** Standard output is for results alone; everything else goes to standard error. */

export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n').trimEnd()}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function warn(sentence: string): void {
  process.stderr.write(`n8n-tuned: ${sentence}\n`);
}
