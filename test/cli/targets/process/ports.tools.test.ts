// Ports for processes that are started later: nobody else may get them meanwhile.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { freePort } from '../../../../cli/src/targets/process/ports';

/** So few that they would meet if they could. */
const range = { lowest: 32_100, highest: 32_150 };
const EACH = 20;

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-ports-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('two processes that ask at the same time never get the same', async () => {
  const outfile = join(folder, 'asking.cjs');
  const source = join(__dirname, '../../../../cli/src/targets/process/ports.ts');
  const contents = `
    import { freePort } from ${JSON.stringify(source)};
    const ports = [];
    const ask = async () => {
      for (let n = 0; n < ${String(EACH)}; n += 1) ports.push(await freePort(${JSON.stringify(range)}));
      process.stdout.write(JSON.stringify(ports));
      process.stdin.once('data', () => process.exit());
    };
    void ask();
  `;
  buildSync({
    ...{ stdin: { contents, resolveDir: folder }, bundle: true, platform: 'node', outfile },
  });
  const both = [1, 2].map(() =>
    spawn(process.execPath, [outfile], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const got = await Promise.all(
    both.map(async ({ stdout }) => {
      const [printed] = (await once(stdout, 'data')) as [Buffer];
      return JSON.parse(printed.toString()) as number[];
    }),
  );
  for (const { stdin } of both) stdin.end('end');
  expect(new Set(got.flat()).size).toBe(2 * EACH);
});

test('one on which something listens is no free one', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(freePort({ lowest: port, highest: port + 1 })).rejects.toThrow(
    /no free port between/,
  );
  server.close();
});

test('it is free for who was given it', async () => {
  const server = createServer();
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  server.close();
});
