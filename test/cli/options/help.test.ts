/** Help fits on a screen, begins with examples, and its topics show every option once. */
import { byHeading, helpText, TOPICS } from '../../../cli/src/options/help';
import { COMMANDS, programOf } from '../../../cli/src/program';

const MAX_LINES = 35;
const MAX_WIDTH = 80;

const program = programOf();
const commands = program.commands.map((command, index) => {
  const help = COMMANDS[index]?.help;
  if (help === undefined) throw new Error(`${command.name()} has no help`);
  return { name: command.name(), command, help };
});
const large = commands.filter(({ help }) => help.common !== undefined);
const linesOf = (text: string): string[] => text.trimEnd().split('\n');
const widest = (text: string): number => Math.max(...linesOf(text).map((line) => line.length));
const shownOptions = (index: (typeof commands)[number]) =>
  index.command.options.filter(({ hidden }) => !hidden);

/** The flags that begin a line of a text. */
const flagsIn = (text: string): string[] =>
  [...text.matchAll(/^ {2}(?:-\w, )?(--[a-z0-9-]+)/gm)].flatMap(([, flag]) => flag ?? []);

test('n8n-tuned -h fits on a screen and lists every command once, by what one wants', () => {
  const text = program.helpInformation();
  expect(linesOf(text).length).toBeLessThanOrEqual(MAX_LINES);
  expect(widest(text)).toBeLessThanOrEqual(MAX_WIDTH);
  const listed = [...text.matchAll(/^ {2}([a-z\d-]+) {2,}\w/gm)].map(([, name]) => name);
  expect(listed).toEqual(commands.map(({ name }) => name));
  expect(text.match(/^[A-Z].*:$/gm)).toEqual([
    'Start here:',
    'Measure:',
    'Go live:',
    'Inspect:',
    'Set up:',
  ]);
});

test.each(commands)('-h of $name fits on a screen, with its examples first', (one) => {
  const text = one.command.helpInformation();
  expect(linesOf(text).length).toBeLessThanOrEqual(MAX_LINES);
  expect(widest(text)).toBeLessThanOrEqual(MAX_WIDTH);
  expect(text).toMatch(/^Usage: n8n-tuned .*\n\n[^]*?\n\nExamples?:\n {2}\S/);
  expect(text.match(/^ {2}(?:N8N_API_KEY=\S+ |source <\()?n8n-tuned /gm)).toHaveLength(
    Math.min(one.help.examples.length, 3),
  );
});

test.each(large)('-h of $name shows three examples and about ten options that it has', (one) => {
  const { common = [], examples } = one.help;
  expect(examples.length).toBeGreaterThanOrEqual(3);
  expect(common.length).toBeGreaterThanOrEqual(8);
  expect(common.length).toBeLessThanOrEqual(11);
  const flags = flagsIn(one.command.helpInformation());
  expect([...flags].sort()).toEqual([...common, '--help'].sort());
});

test.each(large)('--help=all of $name shows each of its options once', (one) => {
  const text = helpText(one.command, one.help, 'all');
  expect(widest(text)).toBeLessThanOrEqual(MAX_WIDTH);
  const flags = shownOptions(one).map(({ long }) => long);
  expect(flagsIn(text).sort()).toEqual([...flags].sort());
});

const topicsIn = ({ command }: (typeof large)[number]): string[] =>
  (/More options: --help=(\S+)\|all$/m.exec(command.helpInformation())?.[1] ?? '').split('|');

test.each(large)('the other topics of $name show each of its options in one of them', (one) => {
  const topics = topicsIn(one);
  expect(topics).toContain('limits');
  const texts = topics.map((topic) => helpText(one.command, one.help, topic));
  const flags = shownOptions(one).map(({ long }) => long);
  expect(texts.flatMap(flagsIn).sort()).toEqual([...flags].sort());
});

test.each(large)('every heading of $name belongs to one topic', (one) => {
  for (const heading of byHeading(shownOptions(one)).keys()) {
    const topics = Object.values(TOPICS).filter((headings) =>
      (headings as readonly string[]).includes(heading),
    );
    expect({ heading, topics: topics.length }).toEqual({ heading, topics: 1 });
  }
});

test.each(large)('a topic of $name shows its headings in the order of the topic', (one) => {
  for (const [topic, headings] of Object.entries(TOPICS)) {
    if (!topicsIn(one).includes(topic)) continue;
    const shown = helpText(one.command, one.help, topic).split('\n');
    const there = (headings as readonly string[]).filter((heading) => shown.includes(heading));
    expect(shown.filter((line) => there.includes(line))).toEqual(there);
  }
});

test.each([
  ['find', 'kubernets', "--help of find has no topic 'kubernets' (did you mean kubernetes?): "],
  ['find', 'colours', 'choose one of load, n8n, kubernetes, limits, all.'],
])('help of %s on %s says which topics there are', (name, topic, sentence) => {
  const one = commands.find((each) => each.name === name);
  if (one === undefined) throw new Error(name);
  expect(() => helpText(one.command, one.help, topic)).toThrow(sentence);
});

test.each([['-h'], ['--help'], ['--help=kubernetes'], ['--help=all']])(
  'n8n-tuned recover %s shows help although its --url is missing',
  async (flag) => {
    const shown: string[] = [];
    const own = programOf();
    for (const command of own.commands) {
      command.configureOutput({ writeOut: (text) => shown.push(text) });
    }
    const asked = flag === '--help=kubernetes' ? ['find', flag] : ['recover', flag];
    await expect(own.parseAsync(asked, { from: 'user' })).rejects.toMatchObject({ exitCode: 0 });
    expect(shown.join('')).toContain(`Usage: n8n-tuned ${asked[0] ?? ''}`);
  },
);
