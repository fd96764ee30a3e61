// docs/reference.md, from the definitions of the command's options.
import type { Argument, Command, Option } from 'commander';
import { byHeading, type CommandHelp } from '../../cli/src/options/help';
import { COMMANDS, programOf } from '../../cli/src/program';
import type { Generated } from './records';

const program = programOf();
const { commands } = program;

export const reference = (): Generated => ({
  files: {
    'docs/reference.md': [
      introduction(),
      list(),
      ...commands.map((command, index) => section(command, COMMANDS[index]?.help)),
    ].join('\n\n'),
  },
});

function introduction(): string {
  return `# Reference of the command

<!-- Written by lab/generate/reference.ts from the commands and options in cli/src: change it there. -->

${program.description()} The [guide](guide.md) leads through the commands; this page lists all of them with
all of their options, as \`--help=all\` of each does. Results go to standard output, progress and warnings to standard error.

| exit code | what it says |
| --- | --- |
| 0 | success |
| 1 | an SLO was missed, or a check failed |
| 2 | invalid usage: one sentence says what to do |
| 3 | the measurement is invalid or inconclusive, or the command has a bug |`;
}

function list(): string {
  return [
    '| command | what it does |',
    '| --- | --- |',
    ...commands.map(
      (command) =>
        `| [\`${command.name()}\`](#${command.name()}) | ${cell(command.description())} |`,
    ),
  ].join('\n');
}

function section(command: Command, help?: CommandHelp): string {
  const options = command.options.filter(({ hidden, long }) => !hidden && long !== '--help');
  return [
    `## ${command.name()}`,
    command.description() + '.',
    fenced(`n8n-tuned ${command.name()} ${command.usage()}`),
    ...argumentsOf(command),
    ...[...byHeading(options)].map(([heading, below]) => optionsTable(heading, below)),
    ...(help?.notes ?? []).map((note) => (note.includes('\n') ? fenced(note) : note)),
    ...(help === undefined ? [] : [fenced(help.examples.join('\n'))]),
  ].join('\n\n');
}

function argumentsOf(command: Command): string[] {
  const all = command.registeredArguments;
  if (all.length === 0) return [];
  return [
    [
      '| argument | meaning | default |',
      '| --- | --- | --- |',
      ...all.map((one) => `| \`${one.name()}\` | ${cell(one.description)} | ${defaultOf(one)} |`),
    ].join('\n'),
  ];
}

function optionsTable(name: string, rows: readonly Option[]): string {
  return [
    ...[`**${name.replace(/:$/, '')}**`, ''],
    '| option | meaning | default |',
    '| --- | --- | --- |',
    ...rows.map(
      (option) => `| \`${option.flags}\` | ${meaningOf(option)} | ${defaultOf(option)} |`,
    ),
  ].join('\n');
}

function meaningOf({ description, argChoices, mandatory }: Option): string {
  const choices = argChoices === undefined ? '' : ` (one of ${argChoices.join(', ')})`;
  return cell(description) + cell(choices) + (mandatory ? '; required' : '');
}

function defaultOf({ defaultValue, defaultValueDescription }: Option | Argument): string {
  if (defaultValueDescription !== undefined) return `\`${defaultValueDescription}\``;
  if (defaultValue === undefined) return '';
  const values: unknown[] = [defaultValue].flat();
  return values.map((value) => `\`${String(value)}\``).join(' ');
}

function fenced(text: string): string {
  return `\`\`\`
${text}
\`\`\``;
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/</g, '\\<').replace(/\n/g, ' ');
}
