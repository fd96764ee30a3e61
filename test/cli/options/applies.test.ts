import type { Command } from 'commander';
import { programOf } from '../../../cli/src/program';

/** Which options help lists, and below which targets. */

const commandOf = (name: string): Command => {
  const command = programOf().commands.find((one) => one.name() === name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  return command;
};

const headingOf = (command: string, flag: string): string | undefined => {
  const found = commandOf(command);
  const option = found
    .createHelp()
    .visibleOptions(found)
    .find(({ long }) => long === flag);
  return option === undefined ? undefined : (option.helpGroupHeading ?? '');
};

test.each([
  ['find', '--target', 'Target:'],
  ['find', '--url', 'With --target url or server:'],
  ['find', '--workers', 'With --target process, container or kubernetes:'],
  ['find', '--cpu', 'With --target process, container, kubernetes or server:'],
  ['find', '--existing', 'With --target kubernetes:'],
  ['up', '--workers', 'Target:'],
  ['drill', '--workers', 'With --target process, container or kubernetes:'],
  ['drill', '--stop-if', 'With --target kubernetes or url:'],
  ['drill', '--url', 'With --target url:'],
  ['sweep', '--generators', 'With --target kubernetes:'],
])('help of %s lists %s below "%s"', (command, flag, heading) => {
  expect(headingOf(command, flag)).toBe(heading);
});

test.each([
  ['up', '--url'],
  ['drill', '--command'],
  ['up', '--command'],
])('help of %s does not list %s, which no target of the command takes', (command, flag) => {
  expect(commandOf(command).options.map(({ long }) => long)).toContain(flag);
  expect(headingOf(command, flag)).toBeUndefined();
});

test('an option of another heading says in its brackets with which targets it goes', () => {
  const variant = commandOf('find').options.find(({ long }) => long === '--variant');
  expect(variant?.description).toMatch(/ \(with --target process, container, kubernetes or url\)$/);
});
