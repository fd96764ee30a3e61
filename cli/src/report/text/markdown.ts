export function table(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.map((c) => c.replace(/\|/g, '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** Where HTML begins; `p95<300ms` is none. */
const TAG = /<(?=[a-z/!?])/gi;

/** A page of lines, of which none is HTML, whatever a record says. What stands between fences is shown as it is. */
export function markdownOf(lines: readonly string[]): string {
  let isFenced = false;
  return lines
    .map((line) => {
      if (line.startsWith('```')) {
        isFenced = !isFenced;
        return line;
      }
      return isFenced ? line.replaceAll('```', "'''") : line.replace(TAG, '&lt;');
    })
    .join('\n');
}
