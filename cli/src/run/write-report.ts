import type { FileBeside } from '../record/write-beside';
import type { RunData } from './report/data';
import { renderRunHtml } from './report/html';
import { plotFiles, renderMarkdown } from './report/markdown';

export const runReports = (data: RunData): FileBeside[] => [
  { name: 'report.html', content: renderRunHtml(data) },
  { name: 'report.md', content: renderMarkdown(data) },
  ...plotFiles(data),
];
