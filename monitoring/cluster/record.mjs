// The file that keeps what was seen: a line for each alert, so that a change of it can be read.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const RECORD = fileURLToPath(new URL('../../docs/records/alerts-on-cluster.json', import.meta.url));
const ABOUT = 'Written by monitoring/on-cluster.mjs';

export const readRecord = () =>
  existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : { faults: {} };

/** `change` gets it as it is now: another part may have been written meanwhile. */
export function changeRecord(change) {
  const short = (key, value) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  const text = JSON.stringify({ about: ABOUT, ...change(readRecord()) }, short)
    .replaceAll('{"alert"', '\n{"alert"')
    .replaceAll('{"startedAt"', '\n{"startedAt"');
  writeFileSync(RECORD, `${text}\n`);
}
