import { Command } from 'commander';
import { groupByTarget, refuseVain } from './options/applies';
import * as clean from './commands/clean';
import * as compare from './features/compare/command';
import * as completion from './commands/completion';
import * as doctor from './commands/doctor';
import * as down from './commands/down';
import * as drill from './features/drill/command';
import * as find from './features/find/command';
import * as predict from './features/predict/command';
import * as profiles from './commands/profiles';
import * as recommend from './features/recommend/command';
import * as recover from './features/recover/command';
import * as report from './commands/report/command';
import * as run from './commands/run';
import * as sample from './features/sample/command';
import * as study from './features/study/command';
import * as sweep from './features/sweep/command';
import * as up from './commands/up';
import * as watch from './features/watch/command';
import * as workloads from './commands/workloads';
import { version } from '../package.json';

/** One file per command, in the order in which help lists them. */
const COMMANDS = [
  doctor,
  workloads,
  profiles,
  up,
  down,
  clean,
  run,
  find,
  compare,
  sweep,
  study,
  drill,
  recover,
  predict,
  recommend,
  report,
  sample,
  watch,
  completion,
];

/** All commands and options; docs/reference.md is generated from it. */
export function programOf(): Command {
  const program = new Command('n8n-tuned')
    .description('Finds how much load an n8n sustains, says what limits it, and proves it.')
    .version(version, '-V, --version', 'show the version of this command')
    .showHelpAfterError('(--help lists the commands and options)')
    .helpOption('-h, --help', 'show this help')
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 an SLO or check failed, 2 invalid usage, 3 the measurement is invalid or inconclusive.',
    )
    .exitOverride()
    .hook('preAction', (_, command) => {
      // What the sides of a comparison are is not known before they are read.
      if (command.name() !== 'compare') refuseVain(command);
    });
  for (const { register } of COMMANDS) register(program);
  program.commands.forEach(groupByTarget);
  return program;
}
