/** The help of a command: one screen with examples by -h, the rest by --help=TOPIC. */
import { CommanderError, Option, type Command } from 'commander';
import { didYouMean } from '../../../loadtests/lib/nearest';
import { Mistake } from '../ui/exit';
import { wrap } from '../ui/wrap';
import { WHERE } from './applies';

export interface CommandHelp {
  /** What the command does, in one line of the list of commands. */
  summary: string;
  /** -h shows the first three. */
  examples: readonly string[];
  /** The flags that -h shows; left out, -h shows all. */
  common?: readonly string[];
  /** Paragraphs; those with line breaks are shown as they are. */
  notes?: readonly string[];
}

/** The headings of options that each topic shows. A heading is in exactly one topic. */
export const TOPICS = {
  load: ['Workload:', 'Load:', 'Load generation:'],
  n8n: [
    WHERE,
    'With --target url or server:',
    'With --target process:',
    'With --target server:',
    'With --target url:',
    'With --target kubernetes or url:',
    'With --target kubernetes, url or server:',
    'With --target process, container, kubernetes or server:',
    'With --target process, container or kubernetes:',
    'With --target process or kubernetes:',
    'With --target process, container or server:',
    'With --target container:',
  ],
  kubernetes: ['With --target kubernetes:'],
  limits: [
    'Goal and evidence:',
    'Comparison:',
    'With --metric capacity:',
    'Measurements:',
    'Requirements:',
    'Goal and search:',
    'Settings that the n8n API does not return:',
    'Executions:',
    'Retries:',
    'Name and limits:',
    'Limits and results:',
    'Monitoring:',
    'Options:',
  ],
} as const;

const ALL = 'all';
const WIDTH = 80;
const SHOWN_EXAMPLES = 3;

/** Gives a command its help, once all of its options are there. */
export function giveHelp(command: Command, help: CommandHelp): void {
  const topics = topicsOf(command, help);
  command
    .summary(help.summary)
    .helpOption(false)
    .configureHelp({ formatHelp: () => helpText(command, help) })
    .addOption(
      topics.length === 0
        ? new Option('-h, --help', 'show this help')
        : new Option('-h, --help [topic]', 'show this help, or the options of a topic'),
    )
    .on('option:help', (topic: string | null) => {
      const write = command.configureOutput().writeOut ?? ((text) => process.stdout.write(text));
      write(helpText(command, help, topic));
      throw new CommanderError(0, 'commander.help', '(outputHelp)');
    });
}

/** What -h prints, or --help of one topic. */
export function helpText(command: Command, help: CommandHelp, topic: string | null = null): string {
  const topics = topicsOf(command, help);
  if (topic !== null && !topics.includes(topic)) {
    throw new Mistake(
      `--help of ${command.name()} has no topic '${topic}'${didYouMean(topic, topics)}: ${topics.length === 0 ? 'remove it' : `choose one of ${topics.join(', ')}`}.`,
    );
  }
  const isWhole = topic === ALL || (topic === null && help.common === undefined);
  const blocks = [
    [`Usage: n8n-tuned ${command.name()} ${command.usage()}`],
    wrap(command.description(), WIDTH),
    ...(topic === null || topic === ALL ? aroundOptions(command, help, topic) : []),
    ...optionBlocks(command, help, topic),
    ...(isWhole ? (help.notes ?? []).map(paragraph) : []),
    ...(topic === null && topics.length > 0 ? [[`More options: --help=${topics.join('|')}`]] : []),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

const paragraph = (text: string): string[] => (text.includes('\n') ? [text] : wrap(text, WIDTH));

function aroundOptions(command: Command, help: CommandHelp, topic: string | null): string[][] {
  const examples = topic === ALL ? help.examples : help.examples.slice(0, SHOWN_EXAMPLES);
  const heading = examples.length > 1 ? 'Examples:' : 'Example:';
  const given = command.registeredArguments.map((one): Row => [one.name(), one.description]);
  return [
    [heading, ...examples.map((example) => `  ${example}`)],
    ...(given.length === 0 ? [] : [['Arguments:', ...table(given)]]),
  ];
}

function optionBlocks(command: Command, help: CommandHelp, topic: string | null): string[][] {
  const options = command.options.filter(({ hidden }) => !hidden);
  if (topic === null) {
    const { common } = help;
    const shown = options.filter(
      ({ long }) => common === undefined || long === '--help' || common.includes(long ?? ''),
    );
    return [
      [
        common === undefined ? 'Options:' : 'Common options:',
        ...table(shown.map((option) => [option.flags, meaningOf(option)])),
      ],
    ];
  }
  const groups = byHeading(options);
  const headings = topic === ALL ? [...groups.keys()] : headingsOf(topic);
  return headings.flatMap((heading) => {
    const below = groups.get(heading) ?? [];
    if (below.length === 0) return [];
    return [[heading, ...table(below.map((option) => [option.flags, meaningOf(option)]))]];
  });
}

/** In the order in which they are read. */
const headingsOf = (topic: string): readonly string[] =>
  Object.entries(TOPICS).find(([name]) => name === topic)?.[1] ?? [];

/** What an option means, with its choices where the words do not name them, its variable and its default. */
function meaningOf({ description, argChoices = [], envVar, ...option }: Option): string {
  const isTold = argChoices.every((choice) => description.includes(choice));
  const { defaultValue, defaultValueDescription } = option;
  const given: unknown = defaultValueDescription ?? defaultValue;
  const notes = [
    ...(isTold ? [] : [`one of ${argChoices.join(', ')}`]),
    ...(envVar === undefined ? [] : [`or the variable ${envVar}`]),
    ...(given === undefined || typeof given === 'boolean'
      ? []
      : [`default: ${[given].flat().join(', ')}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

export function byHeading(options: readonly Option[]): Map<string, Option[]> {
  const groups = new Map<string, Option[]>();
  for (const option of options) {
    const heading = option.helpGroupHeading ?? 'Options:';
    groups.set(heading, [...(groups.get(heading) ?? []), option]);
  }
  return groups;
}

/** Empty where -h shows everything. */
function topicsOf(command: Command, { common }: CommandHelp): string[] {
  if (common === undefined) return [];
  const shown = command.options.filter(({ hidden }) => !hidden);
  const there = [...byHeading(shown).keys()].map(topicOf);
  return [...Object.keys(TOPICS).filter((topic) => there.includes(topic)), ALL];
}

const topicOf = (heading: string): string | undefined =>
  Object.entries(TOPICS).find(([, headings]) =>
    (headings as readonly string[]).includes(heading),
  )?.[0];

type Row = readonly [string, string];

/** Two columns, of which the second is wrapped. */
function table(rows: readonly Row[]): string[] {
  const left = Math.max(...rows.map(([term]) => term.length)) + 4;
  return rows.flatMap(([term, text]) =>
    wrap(text, WIDTH - left).map((line, index) =>
      `${index === 0 ? `  ${term}`.padEnd(left) : ' '.repeat(left)}${line}`.trimEnd(),
    ),
  );
}

/** What `n8n-tuned -h` prints: all commands, by what one wants. */
export function programHelp(program: Command, examples: readonly string[]): string {
  const groups = new Map<string, Command[]>();
  for (const command of program.commands) {
    groups.set(command.helpGroup(), [...(groups.get(command.helpGroup()) ?? []), command]);
  }
  const width = Math.max(...program.commands.map((command) => command.name().length));
  return [
    'Usage: n8n-tuned COMMAND [options]',
    program.description(),
    'Start here:',
    ...examples.map((example) => `  ${example}`),
    ...[...groups].flatMap(([heading, commands]) => [
      heading,
      ...commands.map((command) => `  ${command.name().padEnd(width)}  ${command.summary()}`),
    ]),
    'n8n-tuned COMMAND -h shows the help of a command; --version shows the version.',
    'Exit codes: 0 success, 1 an SLO or a check failed, 2 wrong usage, 3 no answer.',
    '',
  ].join('\n');
}
