// docs/reference/, a page per command, from the definitions of the command's options.
import type { Argument, Command, Option } from 'commander';
import { describedFor, LISTED, SAME_FOR_MOST } from '../../cli/src/features/drill/command';
import { byHeading, type CommandHelp } from '../../cli/src/options/help';
import { COMMANDS, programOf } from '../../cli/src/program';
import type { Generated } from './records';

const program = programOf();
const { commands } = program;
const FOLDER = 'docs/reference';
const NOTE =
  '<!-- Written by lab/generate/reference.ts from the commands and options in cli/src: change it there. -->';

/** An option that at least this many commands have, with the same words, is explained once for all of them. */
const SHARED_BY = 3;

export const reference = (): Generated => ({
  files: {
    [`${FOLDER}/README.md`]: [introduction(), list(), shared()].join('\n\n'),
    ...Object.fromEntries(
      commands.map((command, index) => [
        `${FOLDER}/${command.name()}.md`,
        page(command, COMMANDS[index]?.help),
      ]),
    ),
  },
  owned: { folder: FOLDER, pattern: /\.md$/ },
});

function introduction(): string {
  return `# Command reference

${NOTE}

${program.description().replace(/^Finds/, '`n8n-tuned` finds out')} Each command has a page with all of its options, as printed by \`--help=all\`. Results go to
standard output; progress and warnings go to standard error. For an introduction, see [Get started](../get-started.md).

| exit code | meaning |
| --- | --- |
| 0 | success |
| 1 | an SLO was missed, or a check failed |
| 2 | invalid usage; the message explains what to do |
| 3 | the measurement is invalid or inconclusive, or the command has a bug |`;
}

function list(): string {
  return [
    '## Commands',
    '',
    '| command | description |',
    '| --- | --- |',
    ...commands.map(
      (command) =>
        `| [\`${command.name()}\`](${command.name()}.md) | ${cell(command.description())} |`,
    ),
  ].join('\n');
}

const visible = ({ options }: Command): Option[] =>
  options.filter(({ hidden, long }) => !hidden && long !== '--help');

/** What is said of an option; two that say the same are one. Some commands say in a heading for which target it is. */
const saidOf = (option: Option): string =>
  [
    option.flags,
    meaningOf(option).replace(/ \(with --target [^)]*\)$/, ''),
    defaultOf(option),
  ].join('\n');

interface Said {
  option: Option;
  /** The heading under which the first command has it. */
  heading: string;
  commands: number;
}
const all = new Map<string, Said>();
for (const command of commands) {
  for (const [heading, options] of byHeading(visible(command))) {
    for (const option of options) {
      const known = all.get(saidOf(option)) ?? { option, heading, commands: 0 };
      all.set(saidOf(option), { ...known, commands: known.commands + 1 });
    }
  }
}
const isShared = (option: Option): boolean => (all.get(saidOf(option))?.commands ?? 0) >= SHARED_BY;

function shared(): string {
  const said = [...all.values()].filter((one) => one.commands >= SHARED_BY);
  const headings = [...new Set(said.map(({ heading }) => heading))];
  return [
    '## Shared options',
    ...headings.map((heading) => {
      const below = said.filter((one) => one.heading === heading);
      return `### ${titleOf(heading)}\n\n${optionsTable(below.map(({ option }) => option))}`;
    }),
  ].join('\n\n');
}

const titleOf = (heading: string): string => heading.replace(/:$/, '');

function page(command: Command, help?: CommandHelp): string {
  return [
    `# n8n-tuned ${command.name()}`,
    NOTE,
    command.description() + '.',
    fenced(`n8n-tuned ${command.name()} ${command.usage()}`),
    ...(help === undefined ? [] : ['## Examples', fenced(help.examples.join('\n'))]),
    ...argumentsOf(command),
    '## Options',
    ...[...byHeading(visible(command))].flatMap(([heading, below]) => {
      const own = below.filter((option) => !isShared(option));
      return own.length === 0 ? [] : [`### ${titleOf(heading)}`, optionsTable(own)];
    }),
    ...sharedOf(command),
    ...(help?.notes ?? []).map((note) => (note.includes('\n') ? fenced(note) : note)),
    ...(command.name() === 'drill' ? faults() : []),
  ].join('\n\n');
}

const faults = (): string[] => [
  '## Faults',
  [
    '| fault | what it does |',
    '| --- | --- |',
    ...LISTED.map(
      (fault) => `| \`${fault.name}\` | ${promisesAsCode(cell(describedFor(fault)))} |`,
    ),
  ].join('\n'),
  promisesAsCode(SAME_FOR_MOST),
];

const promisesAsCode = (text: string): string =>
  text.replaceAll(/\b[a-z-]+(?:=|\\?<)\d+s?\b/g, (one) => `\`${one.replace('\\', '')}\``);

function sharedOf(command: Command): string[] {
  const names = visible(command)
    .filter(isShared)
    .map(({ flags, long }) => `\`${long ?? flags}\``);
  if (names.length === 0) return [];
  return [
    '### Options shared with other commands',
    `${names.join(', ')}: see [shared options](README.md#shared-options).`,
  ];
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

function optionsTable(rows: readonly Option[]): string {
  return [
    '| option | meaning | default |',
    '| --- | --- | --- |',
    ...rows.map(
      (option) => `| \`${option.flags}\` | ${meaningOf(option)} | ${defaultOf(option)} |`,
    ),
  ].join('\n');
}

function meaningOf({ description, argChoices, mandatory }: Option): string {
  const isTold = (argChoices ?? []).every((choice) => description.includes(choice));
  const choices = isTold ? '' : ` (one of ${(argChoices ?? []).join(', ')})`;
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
