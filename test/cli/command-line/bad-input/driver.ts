/** One call after the other in one process, as the command itself makes them; started by caller.ts, which ends it if it hangs. */
import { programOf } from '../../../../cli/src/program';
import { leavingNoEmptyFolder } from '../../../../cli/src/record/folder';
import { endingOf } from '../../../../cli/src/ui/exit';

export interface Call {
  words: string[];
  folder: string;
  env: Record<string, string>;
}

export interface Told {
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
