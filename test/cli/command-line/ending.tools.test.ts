/** How the command ends: whose mistake it was, and what a reader who leaves early does to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { programOf } from '../../../cli/src/program';
import { endingOf, EXIT, Mistake } from '../../../cli/src/ui/exit';
import { buildCli, runCli } from '../../support/cli';
import { drawn } from '../../support/properties';

const ROOT = join(__dirname, '../../..');
const CLI = join(ROOT, 'cli/dist/cli.js');

test("only a Mistake is the user's: one sentence and exit code 2", () => {
  fc.assert(
    fc.property(fc.string(), (sentence) => {
      expect(endingOf(new Mistake(sentence))).toEqual({
        exitCode: EXIT.mistake,
        text: `n8n-tuned: ${sentence}\n`,
      });
    }),
  );
});

test('any other error is a bug of ours: its stack and exit code 3', () => {
  const kinds = [Error, TypeError, RangeError, SyntaxError, ReferenceError];
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.string(), (Kind, message) => {
      const error = new Kind(message);
      const { exitCode, text } = endingOf(error);
      expect(exitCode).toBe(EXIT.invalid);
      expect(text).toContain(String(error.stack));
    }),
  );
});

describe('the command', () => {
  beforeAll(buildCli);

  const { version } = JSON.parse(readFileSync(join(ROOT, 'cli/package.json'), 'utf8')) as {
    version: string;
  };
  test.each(['--version', '-V'])('%s shows the version of the package', async (option) => {
    expect(await runCli([option])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('ends although a connection stays open that nobody closes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ending-'));
    const opened = join(folder, 'opened.cjs');
    writeFileSync(opened, "require('node:net').createServer().listen(0, '127.0.0.1');");
    const { code, stdout } = await runCli(['drill', 'list', '--json'], {
      NODE_OPTIONS: `--require=${opened}`,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'kill-worker' }));
    rmSync(folder, { recursive: true });
  });

  const commands = programOf().commands.map((command) => command.name());
  const tried = drawn(commands.length).map((index) => commands[index] ?? '');

  test.each(tried)('%s --help ends quietly when its reader does not read on', async (command) => {
    const child = spawn(process.execPath, [CLI, command, '--help'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Closed long before Node.js has started and writes.
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
