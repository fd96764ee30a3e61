import { Argument, type Command } from 'commander';
import type { CommandHelp } from '../options/help';

export const help: CommandHelp = {
  summary: 'print a script that completes commands in bash or zsh',
  examples: ['source <(n8n-tuned completion bash)', 'n8n-tuned completion zsh >> ~/.zshrc'],
};

export function register(program: Command): Command {
  return program
    .command('completion')
    .description('Print a shell script that completes commands, options and their values')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell) => {
      process.stdout.write(completionScript(shell, commandsOf(program)));
    });
}

function commandsOf(program: Command): CompletedCommand[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .map((command) => ({
      name: command.name(),
      options: command
        .createHelp()
        .visibleOptions(command)
        .map(({ long, argChoices }) => ({ flag: long ?? '', choices: argChoices ?? [] })),
    }));
}

// What a shell needs to complete the command line: words in, a script out.

const SHELLS = ['bash', 'zsh'] as const;
type Shell = (typeof SHELLS)[number];

interface CompletedOption {
  /** The flag as users type it, like `--rate`. */
  flag: string;
  /** Values to choose from; empty where any is taken. */
  choices: readonly string[];
}

export interface CompletedCommand {
  name: string;
  options: readonly CompletedOption[];
}

/** zsh runs what was written for bash once it has been told to. */
const ZSH_FIRST = [
  '(( $+functions[compdef] )) || { autoload -U +X compinit && compinit; }',
  'autoload -U +X bashcompinit && bashcompinit',
];

/** The shell completes file names if no option or command fits. */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name);
  const script = [
    '_n8n_tuned() {',
    '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${names.join(' ')} --help --version"`,
    '  else',
    '    case "${COMP_WORDS[1]} $before" in',
    ...commands.flatMap(valuesOf),
    '    esac',
    '    if [ -z "$words" ] && [ "${word#-}" != "$word" ]; then',
    '      case "${COMP_WORDS[1]}" in',
    ...commands.map(
      ({ name, options }) =>
        `        ${name}) words="${options.map(({ flag }) => flag).join(' ')}" ;;`,
    ),
    '      esac',
    '    fi',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _n8n_tuned n8n-tuned',
  ];
  return [...(shell === 'zsh' ? ZSH_FIRST : []), ...script, ''].join('\n');
}

function valuesOf({ name, options }: CompletedCommand): string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(({ flag, choices }) => `      '${name} ${flag}') words="${choices.join(' ')}" ;;`);
}
