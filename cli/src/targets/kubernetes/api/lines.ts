/** Puts pieces of text together into lines; the last one may still be half. */
export class Lines {
  private rest = '';

  constructor(private readonly onLine: (line: string) => void) {}

  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.onLine(line);
  }
}
