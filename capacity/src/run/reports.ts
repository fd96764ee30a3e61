import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunData } from '../record/read';
import { writeWhole } from '../record/folder';
import { failureText } from '../record/table-file';
import { renderRunHtml } from '../report/html/run';
import { plotFiles, renderMarkdown } from '../report/markdown';

/** Beside the record; they can always be made again. Returns what could not be written. */
export function writeReports(folder: string, data: RunData): string[] {
  const files = [
    { name: 'report.html', content: renderRunHtml(data) },
    { name: 'report.md', content: renderMarkdown(data) },
    ...plotFiles(data),
  ];
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
