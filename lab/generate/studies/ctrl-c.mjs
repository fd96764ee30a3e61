// How long the command takes to end after Ctrl-C, by what it was doing.
import { has, link, read, table } from '../records.ts';

export function ctrlC() {
  const path = 'docs/records/ctrl-c.csv';
  if (!has(path)) return '';
  const rows = read(path)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => /^"(.*)",([\d.]+)$/.exec(line).slice(1));
  return `## How long Ctrl-C takes

Each command was stopped while it did what the first column says: where it starts n8n, with a real one, else on a server
of known behaviour. It ended within 5 s, with a record of what it had measured, without a stack trace, and left no
process, control group or folder behind (\`CTRL_C_RECORD=${path} npx jest --runInBand '/interrupt\\.'\`).

${table(
  ['stopped during', 'ended after'],
  rows.map(([what, seconds]) => [what, `${seconds} s`]),
)}

${link(path)}`;
}
