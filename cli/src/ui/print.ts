/** Standard output is for results alone; everything else goes to standard error. */

export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n').trimEnd()}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** How wide lines may be on standard output, and whether it shows colours. */
export function terminalStyle({ columns = 100, isTTY } = process.stdout): {
  width: number;
  colour: boolean;
} {
  return { width: Math.min(columns, 120), colour: isTTY };
}

export function warn(sentence: string): void {
  process.stderr.write(`n8n-tuned: ${sentence}\n`);
}

/** `n8n-tuned run ... | head` closes our output early: what is measured is still recorded, and nothing has failed. */
export function outliveReaders(...streams: NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
