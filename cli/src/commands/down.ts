import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { Kept } from '../targets/kept';
import { Failure, Mistake } from '../ui/exit';
import { printLines } from '../ui/print';
import { startProgress } from '../ui/progress';
import type { CommandHelp } from '../options/help';

export const help: CommandHelp = {
  summary: 'stop an n8n instance that n8n-tuned up started',
  examples: ['n8n-tuned down', 'n8n-tuned up --name big --memory 4Gi', 'n8n-tuned down big'],
};

export function register(program: Command): Command {
  return program
    .command('down')
    .description('Stop an n8n instance that n8n-tuned up started')
    .argument('[name]', 'name of the instance, as given to n8n-tuned up', 'default')
    .action(down);
}

const GIVE_UP_MS = 30_000;

async function down(name: string): Promise<void> {
  const kept = new Kept(name);
  const state = kept.read();
  if (state === null) {
    throw new Mistake(`there is no instance with the name '${name}'.`);
  }
  const progress = startProgress();
  try {
    const { pid } = state.keeper;
    const giveUpMs = performance.now() + GIVE_UP_MS;
    try {
      process.kill(pid, 'SIGTERM');
    } catch (error) {
      // It has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    while (kept.read() !== null) {
      if (performance.now() > giveUpMs) {
        throw new Failure(
          `n8n at ${state.baseUrl} did not stop within ${String(GIVE_UP_MS / 1000)} s: end process ${String(pid)} (with kill -9 if it does not respond), which also ends everything that it started.`,
        );
      }
      progress.tell(`taking down n8n at ${state.baseUrl}`);
      await sleep(200);
    }
  } finally {
    progress.end();
  }
  printLines([`n8n at ${state.baseUrl} is down.`]);
}
