import { Argument, type Command } from 'commander';
import { completionScript, SHELLS, type CompletedCommand, type Shell } from '../ui/completion';

export function register(program: Command): void {
  program
    .command('completion')
    .description('Print a script that completes commands, options and their values')
    .addArgument(new Argument('<shell>', 'the shell to complete in').choices(SHELLS))
    .addHelpText(
      'after',
      '\nExamples:\n  source <(n8n-tuned completion bash)\n  n8n-tuned completion zsh >> ~/.zshrc',
    )
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
