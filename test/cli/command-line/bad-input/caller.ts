import { buildSync } from 'esbuild';
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { programOf } from '../../../../cli/src/program';
import { leavingNoEmptyFolder } from '../../../../cli/src/record/folder';
import { endingOf } from '../../../../cli/src/ui/exit';

/** One call after the other in one process, as the command itself makes them; started by caller.ts, which ends it if it hangs. */

interface Call {
  words: string[];
  folder: string;
  env: Record<string, string>;
}

interface Told {
  code: number;
  stdout: string;
  stderr: string;
}

type Write = typeof process.stdout.write;

async function told({ words, folder, env }: Call): Promise<Told> {
  const before = { ...process.env };
  const out = process.stdout.write.bind(process.stdout);
  const err = process.stderr.write.bind(process.stderr);
  const seen = { stdout: '', stderr: '' };
  process.stdout.write = ((text: unknown) => ((seen.stdout += String(text)), true)) as Write;
  process.stderr.write = ((text: unknown) => ((seen.stderr += String(text)), true)) as Write;
  process.chdir(folder);
  process.exitCode = 0;
  for (const [name, value] of Object.entries(env)) process.env[name] = value;
  try {
    await leavingNoEmptyFolder(() => programOf().parseAsync(words, { from: 'user' }));
  } catch (error) {
    const { exitCode, text } = endingOf(error);
    process.exitCode = exitCode;
    seen.stderr += text;
  } finally {
    process.stdout.write = out;
    process.stderr.write = err;
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
  }
  const code = Number(process.exitCode);
  process.exitCode = 0;
  return { code, ...seen };
}

process.on('message', (call: Call) => {
  void told(call).then((answer) => process.send?.(answer));
});

const ROOT = join(__dirname, '../../../..');
/** Whatever takes as long waits for something that never comes. */
const HANGS_AFTER_MS = 20_000;

/** Makes calls of the command, many in one process; one that hangs costs that process alone. */
export class Caller {
  // Beneath the checkout, whose files the command looks for above itself.
  private readonly folder = mkdtempSync(join(ROOT, 'cli', 'node_modules', '.bad-input-'));
  private readonly program = join(this.folder, 'driver.js');
  private process: ChildProcess | null = null;

  constructor() {
    buildSync({
      ...{ absWorkingDir: ROOT, bundle: true, platform: 'node', target: 'node20', format: 'cjs' },
      ...{ entryPoints: [join(__dirname, 'driver.ts')], outfile: this.program },
      ...{ packages: 'external', logLevel: 'warning' },
    });
  }

  /** Null: it hung. */
  call(call: Call): Promise<Told | null> {
    const child = (this.process ??= fork(this.program, { stdio: 'ignore', execArgv: [] }));
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.stop();
        done(null);
      }, HANGS_AFTER_MS);
      const ended = (): void => {
        this.process = null;
        done({ code: -1, stdout: '', stderr: 'the process ended without a word' });
      };
      const done = (told: Told | null): void => {
        clearTimeout(timer);
        child.off('exit', ended);
        child.removeAllListeners('message');
        resolve(told);
      };
      child.once('message', (told) => {
        done(told as Told);
      });
      child.once('exit', ended);
      child.send(call);
    });
  }

  private stop(): void {
    this.process?.removeAllListeners('exit');
    this.process?.kill('SIGKILL');
    this.process = null;
  }

  end(): void {
    this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
