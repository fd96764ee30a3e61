import { programOf } from './program';
import { endingOf } from './ui/exit';
import { outliveReaders } from './ui/print';

/** Of what nobody waits for any more: a connection to a node that was lost never closes by itself. */
const LEFT_OPEN_MS = 5_000;

async function main(): Promise<void> {
  outliveReaders(process.stdout, process.stderr);
  try {
    await programOf().parseAsync();
  } catch (error) {
    const { exitCode, text } = endingOf(error);
    process.exitCode = exitCode;
    process.stderr.write(text);
  }
  setTimeout(() => process.exit(), LEFT_OPEN_MS).unref();
}

void main();
