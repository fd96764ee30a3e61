import type { Command } from 'commander';
import { PROFILES, type Profile } from '../../../loadtests/lib/profile';
import { printJson, printLines } from '../ui/print';
import type { CommandHelp } from '../options/help';

export const help: CommandHelp = {
  summary: 'list the load profiles, which shape the load over time',
  examples: [
    'n8n-tuned profiles',
    'n8n-tuned profiles --json',
    'n8n-tuned run --profile stress --rate 10',
  ],
};

export function register(program: Command): Command {
  return program
    .command('profiles')
    .description('List the load profiles, which shape the load over time')
    .option('--json', 'print the list as JSON')
    .action(({ json }: { json?: boolean }) => {
      if (json === true) {
        printJson(PROFILES);
        return;
      }
      printLines(
        Object.entries(PROFILES).flatMap(([name, profile]) => [
          `${name}: ${profile.title}`,
          `  ${defaultsOf(profile)}`,
          '',
        ]),
      );
    });
}

function defaultsOf(profile: Profile): string {
  const load =
    profile.loop === 'closed'
      ? `--vus ${String(profile.clients)}`
      : `--rate ${String(profile.ratePerSecond)}`;
  return `${load} --duration ${String(profile.durationSeconds)}s --warmup ${String(profile.warmupSeconds)}s by default`;
}
