import { programOf } from './program';
import { endingOf } from './ui/exit';
import { outliveReaders } from './ui/print';

async function main(): Promise<void> {
  outliveReaders(process.stdout, process.stderr);
  try {
    await programOf().parseAsync();
  } catch (error) {
    const { exitCode, text } = endingOf(error);
    process.exitCode = exitCode;
    process.stderr.write(text);
  }
}

void main();
