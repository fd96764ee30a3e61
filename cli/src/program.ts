import { Command } from 'commander';
import { refuseVain } from './commands/applies';
import * as clean from './commands/clean';
import * as compare from './commands/compare';
import * as completion from './commands/completion';
import * as doctor from './commands/doctor';
import * as down from './commands/down';
import * as drill from './commands/drill';
import * as find from './commands/find';
import * as predict from './commands/predict';
import * as profiles from './commands/profiles';
import * as recommend from './commands/recommend';
import * as recover from './commands/recover';
import * as report from './commands/report';
import * as run from './commands/run';
import * as sample from './commands/sample';
import * as study from './commands/study';
import * as sweep from './commands/sweep';
import * as up from './commands/up';
import * as watch from './commands/watch';
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
  return program;
}
