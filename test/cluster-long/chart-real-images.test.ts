// The steps of .github/workflows/real-images.yml, which run on kind with the images that users pull: here with the lab's.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { ROOT } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(2_400_000);

const SCRIPT = 'lab/cluster/real-images.sh';
const run = promisify(execFile);
const step = async (name: string): Promise<string> => {
  const { stdout } = await run(join(ROOT, SCRIPT), [name], { maxBuffer: 64 << 20 });
  return stdout;
};

afterAll(() => step('remove'));

test('each step of the workflow with real images runs here, and no patch leaves this n8n as it is', async () => {
  const text = readFileSync(join(ROOT, '.github/workflows/real-images.yml'), 'utf8');
  const { jobs } = parse(text) as { jobs: { kind: { steps: { run?: string }[] } } };
  const steps = jobs.kind.steps
    .map(({ run: command = '' }) => command)
    .filter((command) => command.startsWith(SCRIPT))
    .map((command) => command.replace(`${SCRIPT} `, ''));
  expect(steps).toEqual(['install', 'test', 'patches', 'images']);
  const said: Record<string, string> = {};
  for (const name of steps) said[name] = await step(name);
  expect(said['test']).toContain('Phase:          Succeeded');
  expect(said['patches']).toBe('');
  for (const image of ['n8nio/n8n', 'n8nio/runners', 'library/postgres', 'library/redis']) {
    expect(said['images']).toContain(image);
  }
  seen('the workflow with real images, on the images of the lab', { steps: steps.length });
});
