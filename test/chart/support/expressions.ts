// Expressions in n8n's own sandbox, in a process of its own, with scripts that Node.js loads before it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { n8nFolder, node24 } from '../../nodes/support/lab';

const HOST = join(__dirname, 'expression-host.cjs');

export interface Outcome {
  type?: string;
  value?: unknown;
  error?: string;
  message?: string;
}
export interface Sandbox {
  limits: object;
  timezone?: string;
  codes: string[];
}
export interface Input {
  timezone?: string;
  data?: object;
  lists?: string[][];
  bridges?: Sandbox[];
}
export interface Output {
  lists: Outcome[][];
  bridges: Outcome[][];
  said: string;
}

export async function evaluate(version: string, input: Input, scripts: string[]): Promise<Output> {
  const manifest = join(n8nFolder(version), 'package.json');
  const required = scripts.flatMap((script) => ['--require', script]);
  const child = spawn(node24(), [...required, HOST, manifest]);
  let out = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  child.stdin.end(JSON.stringify(input));
  await once(child, 'close');
  return { ...(JSON.parse(out) as Omit<Output, 'said'>), said };
}
