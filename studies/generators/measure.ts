// What it costs the command to merge the lines of up to 100 load generators, and how far its percentiles are then off.
// A simulation without network: lines as k6 prints them, streams that lag behind each other, one generator in ten far
// away. It is the command's own code that reads and counts them; see steps.ts.
import { execFile } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Part, Study } from '../../cli/src/features/study/study';

/** Generators, requests per second, seconds, and by how much a stream lags at the most, in milliseconds. */
const CASES = [
  [1, 1_000, 60, 0],
  [10, 1_000, 60, 500],
  [100, 1_000, 60, 500],
  [100, 10_000, 60, 500],
  [100, 10_000, 60, 5_000],
  [100, 10_000, 180, 500],
];

interface Row {
  cpuUsPerRequest: number;
  rssPeakMiB: number;
}

const parts: Part[] = [{ name: 'record', seconds: 180 }];

export default {
  parts,
  async measured(_part, { isShort, signal, tell }) {
    const rows: Row[] = [];
    for (const numbers of isShort ? CASES.slice(0, 1) : CASES) {
      const steps = join(import.meta.dirname, 'steps.ts');
      const words = ['--import', 'tsx', steps, ...numbers.map(String)];
      const { stdout } = await promisify(execFile)(process.execPath, words, { signal });
      const row = JSON.parse(stdout) as Row;
      tell(
        `${numbers.join(', ')}: ${row.cpuUsPerRequest.toFixed(1)} us per request, ${row.rssPeakMiB.toFixed(0)} MiB`,
      );
      rows.push(row);
    }
    return {
      record: { node: process.version, loadAverage: loadavg()[0], rows },
      sentence: `${String(rows.length)} numbers of generators`,
    };
  },
} satisfies Study;
