import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { left, type Traces } from './stage';
import { until } from '../support/wait';

jest.setTimeout(330_000);

// Inside the repository, so that what is bundled finds its packages.
const folder = mkdtempSync(join(__dirname, '.owner-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('kill -9 of the owner leaves no process, port, control group or folder', async () => {
  const outfile = join(folder, 'owner.cjs');
  buildSync({
    entryPoints: [join(__dirname, 'owner.ts')],
    bundle: true,
    platform: 'node',
    external: ['pg-native'],
    outfile,
  });
  const owner = spawn(process.execPath, [outfile], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const traces = await firstLine(owner.stdout);
    expect(await left(traces)).not.toEqual([]);
    owner.kill('SIGKILL');
    await until('nothing is left', async () => (await left(traces)).length === 0, 120_000);
  } finally {
    owner.kill('SIGKILL');
  }
});

async function firstLine(stream: NodeJS.ReadableStream): Promise<Traces> {
  for await (const line of createInterface({ input: stream })) return JSON.parse(line) as Traces;
  throw new Error('the owner ended without having brought anything up');
}
