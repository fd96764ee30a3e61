// The store of seeded databases, which every run on this machine shares: what is taken from it is whole, whoever else keeps,
// takes and prunes at the same time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { templatesKept } from '../../../../cli/src/targets/process/template';

const PROCESSES = 3;
const TURNS = 15;
/** More than the store keeps. */
const KEYS = 2 * templatesKept;

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-templates-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const RUN = `
  import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
  import { dirname } from 'node:path';
  import { keepTemplate, takeTemplate } from ${JSON.stringify(join(__dirname, '../../../../cli/src/targets/process/template.ts'))};
  const files = ['a', 'base/1/b', 'base/2/c'];
  async function turn(store, work, key) {
    const to = work + '/data';
    if (await takeTemplate(store, key, to)) {
      for (const file of files)
        if (readFileSync(to + '/' + file, 'utf8') !== key) throw new Error(key + ' has another ' + file);
      return;
    }
    for (const file of files) {
      mkdirSync(dirname(to + '/' + file), { recursive: true });
      writeFileSync(to + '/' + file, key, { flag: 'wx' });
    }
    await keepTemplate(store, key, to);
  }
  async function run([store, own, turns, keys]) {
    for (let n = 0; n < turns; n += 1) {
      // Two at a time, which may want the same.
      await Promise.all([0, 1].map(async () => {
        const work = mkdtempSync(own + '-');
        await turn(store, work, 'key' + Math.floor(Math.random() * keys));
        rmSync(work, { recursive: true });
      }));
    }
  }
  void run(process.argv.slice(2));
`;

test('whatever others do to it, a template is taken whole or not at all', async () => {
  const outfile = join(folder, 'run.cjs');
  buildSync({
    ...{ stdin: { contents: RUN, resolveDir: folder }, bundle: true, platform: 'node', outfile },
  });
  const args = (name: number): string[] => [
    ...[join(folder, 'store'), join(folder, String(name))],
    ...[String(TURNS), String(KEYS)],
  ];
  const ends = Array.from({ length: PROCESSES }, async (_, name) => {
    const child = spawn(process.execPath, [outfile, ...args(name)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (part: Buffer) => (said += part.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  });
  expect(await Promise.all(ends)).toEqual(ends.map(() => ({ code: 0, said: '' })));
});
