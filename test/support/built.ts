import { existsSync } from 'node:fs';
import { join } from 'node:path';

const BUILT = [
  'cli/dist/cli.js',
  'dist/n8n-nodes-queue-monitor',
  'dist/n8n-nodes-load-target',
  'charts/n8n-load/files/workflows',
];

/** Before a suite that tests what is built: one sentence where it is not, in place of an error in each test. */
export default function (): void {
  const missing = BUILT.filter((path) => !existsSync(join(__dirname, '../..', path)));
  if (missing.length === 0) return;
  console.error(`Not built: ${missing.join(', ')}. Run "make build" first.`);
  process.exit(2);
}
