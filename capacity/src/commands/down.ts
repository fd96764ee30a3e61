import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { Kept } from '../targets/kept';
import { Mistake } from '../ui/exit';
import { printLines } from '../ui/print';
import { startProgress } from '../ui/progress';

export function register(program: Command): void {
  program
    .command('down')
    .description('Take down what n8n-tuned up has left up')
    .argument('[name]', 'as given to up', 'default')
    .addHelpText('after', '\nExample:\n  n8n-tuned down')
    .action(down);
}

async function down(name: string): Promise<void> {
  const kept = new Kept(name);
  const state = kept.read();
  if (state === null) {
    throw new Mistake(`nothing is up under the name '${name}'.`);
  }
  const progress = startProgress();
  try {
    process.kill(state.pid, 'SIGTERM');
    while (kept.read() !== null) {
      progress.tell(`taking down n8n at ${state.baseUrl}`);
      await sleep(200);
    }
  } finally {
    progress.end();
  }
  printLines([`n8n at ${state.baseUrl} is down.`]);
}
