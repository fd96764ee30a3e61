import { takeKeepersWords } from './commands/up';
import { offeringInstall } from './features/n8n/command';
import { programOf } from './program';
import { withoutSecrets } from './plan/secrets/command';
import { leavingNoEmptyFolder } from './record/folder';
import { endingOf } from './ui/exit';
import { hideOn } from './ui/known-secrets';
import { outliveReaders } from './ui/print';

/** Grace before exit for handles that nobody awaits, such as a connection to a lost node. */
const LEFT_OPEN_MS = 5_000;

async function main(): Promise<void> {
  takeKeepersWords();
  outliveReaders(process.stdout, process.stderr);
  // What is masked there is masked from here on in all that is said.
  withoutSecrets(process.argv.slice(2));
  [process.stdout, process.stderr].forEach(hideOn);
  try {
    await offeringInstall(() => leavingNoEmptyFolder(() => programOf().parseAsync()));
  } catch (error) {
    const { exitCode, text } = endingOf(error);
    process.exitCode = exitCode;
    process.stderr.write(text);
  }
  setTimeout(() => process.exit(), LEFT_OPEN_MS).unref();
}

void main();
