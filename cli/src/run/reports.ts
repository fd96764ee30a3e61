import type { FileBeside } from '../record/beside';
import type { RunData } from '../report/run/data';
import { renderRunHtml } from '../report/run/html';
import { plotFiles, renderMarkdown } from '../report/run/markdown';

export const runReports = (data: RunData): FileBeside[] => [
  { name: 'report.html', content: renderRunHtml(data) },
  { name: 'report.md', content: renderMarkdown(data) },
  ...plotFiles(data),
];
