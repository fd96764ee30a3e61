#!/usr/bin/env node
// Writes docs/reference.md from the definitions of the command's options; with --check it only says whether that is needed.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { compiled } from './compiled.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pageFile = `${root}docs/reference.md`;

const { programOf } = compiled(`export { programOf } from './program';`);
const program = programOf();
const commands = program.commands.filter((command) => command.name() !== 'help');
const page = await format([introduction(), list(), ...commands.map(section)].join('\n\n'), {
  parser: 'markdown',
  printWidth: 120,
});

if (!process.argv.includes('--check')) {
  writeFileSync(pageFile, page);
} else if (readFileSync(pageFile, 'utf8') !== page) {
  console.error('docs/reference.md is out of date: run node lab/generate/reference.mjs');
  process.exit(1);
}

function introduction() {
  return `# Reference of the command

<!-- Written by lab/generate/reference.mjs from the commands and options in cli/src: change it there. -->

${program.description()} The [guide](guide.md) leads through the commands; this page lists all of them with
all of their options, as \`--help\` does. Results go to standard output, progress and warnings to standard error.

| exit code | what it says |
| --- | --- |
| 0 | success |
| 1 | an SLO was missed, or a check failed |
| 2 | invalid usage: one sentence says what to do |
| 3 | the measurement is invalid or inconclusive, or the command has a bug |`;
}

function list() {
  return [
    '| command | what it does |',
    '| --- | --- |',
    ...commands.map(
      (command) =>
        `| [\`${command.name()}\`](#${command.name()}) | ${cell(command.description())} |`,
    ),
  ].join('\n');
}

function section(command) {
  const groups = new Map();
  for (const option of command.createHelp().visibleOptions(command)) {
    const name = option.helpGroupHeading ?? '';
    groups.set(name, [...(groups.get(name) ?? []), option]);
  }
  return [
    `## ${command.name()}`,
    command.description() + '.',
    fenced(`n8n-tuned ${command.name()} ${command.usage()}`),
    ...argumentsOf(command),
    ...[...groups].map(([name, options]) => optionsTable(name, options)),
    ...afterHelp(command),
  ].join('\n\n');
}

function argumentsOf(command) {
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

function optionsTable(name, options) {
  const isHelp = (option) => option.long === '--help';
  const rows = options.filter((option) => !isHelp(option));
  if (rows.length === 0) return '';
  return [
    ...(name === '' ? [] : [`**${name.replace(/:$/, '')}**`, '']),
    '| option | meaning | default |',
    '| --- | --- | --- |',
    ...rows.map(
      (option) => `| \`${option.flags}\` | ${meaningOf(option)} | ${defaultOf(option)} |`,
    ),
  ].join('\n');
}

function meaningOf({ description, argChoices, mandatory }) {
  const choices = argChoices === undefined ? '' : ` (one of ${argChoices.join(', ')})`;
  return cell(description) + cell(choices) + (mandatory ? '; required' : '');
}

function defaultOf({ defaultValue, defaultValueDescription }) {
  if (defaultValueDescription !== undefined) return `\`${defaultValueDescription}\``;
  if (defaultValue === undefined) return '';
  return [defaultValue]
    .flat()
    .map((value) => `\`${value}\``)
    .join(' ');
}

/** What stands below the options in --help: notes and examples. */
function afterHelp(command) {
  let shown = '';
  command.configureOutput({ writeOut: (text) => (shown += text) });
  command.outputHelp();
  const text = shown.slice(command.helpInformation().length).trim();
  return text === '' ? [] : [fenced(text)];
}

function fenced(text) {
  return `\`\`\`
${text}
\`\`\``;
}

function cell(text) {
  return text.replace(/\|/g, '\\|').replace(/</g, '\\<').replace(/\n/g, ' ');
}
