import { Command } from 'commander';
import { groupByTarget, refuseVain } from './options/applies';
import { giveHelp, programHelp } from './options/help';
import { nameUnknownFirst, suggestChoices } from './options/parsers';
import * as clean from './commands/clean';
import * as compare from './features/compare/command';
import * as completion from './commands/completion';
import * as doctor from './commands/doctor';
import * as down from './commands/down';
import * as drill from './features/drill/command';
import * as find from './features/find/command';
import * as migrate from './features/migrate/command';
import * as n8n from './features/n8n/command';
import * as predict from './features/predict/command';
import * as profiles from './commands/profiles';
import * as recommend from './features/recommend/command';
import * as recover from './features/recover/command';
import * as report from './commands/report/command';
import * as run from './commands/run';
import * as sample from './features/sample/command';
import * as standIn from './features/stand-in/command';
import * as study from './features/study/command';
import * as sweep from './features/sweep/command';
import * as twin from './features/twin/command';
import * as up from './commands/up';
import * as watch from './features/watch/command';
import * as workloads from './commands/workloads';
import { version } from '../package.json';

/** What the list of commands shows, by what one wants; one file per command. */
const GROUPS = {
  'Measure:': [find, run, compare, sweep, predict, study],
  'Go live:': [recommend, drill, recover, migrate],
  'Inspect:': [report, watch, sample],
  'Set up:': [doctor, n8n, up, down, twin, standIn, clean, workloads, profiles, completion],
};

/** In the order in which the program lists its commands. */
export const COMMANDS = Object.values(GROUPS).flat();

const EXAMPLES = [
  "n8n-tuned find --url https://n8n.test.example.com --request 'POST /webhook/x'",
  "n8n-tuned find --workload last-node --slo 'p95<300ms'     n8n on this machine",
  'n8n-tuned drill kill-worker --workers 2 --rate 3          what would be lost',
];

/** All commands and options; docs/reference is generated from it. */
export function programOf(): Command {
  const program = new Command('n8n-tuned')
    .description('Finds how much load n8n sustains and what limits it, and proves the result.')
    .version(version, '-V, --version', 'show the version of this command')
    .showHelpAfterError('(--help shows examples and options)')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ formatHelp: (command) => programHelp(command, EXAMPLES) })
    .exitOverride()
    .hook('preAction', (_, command) => {
      // What the sides of a comparison are is not known before they are read.
      if (command.name() !== 'compare') refuseVain(command);
    });
  for (const [heading, commands] of Object.entries(GROUPS)) {
    for (const { register, help } of commands) {
      const command = register(program).helpGroup(heading);
      groupByTarget(command);
      suggestChoices(command);
      nameUnknownFirst(command);
      giveHelp(command, help);
    }
  }
  return program;
}
