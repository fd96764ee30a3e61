/** What a command line asks for, without doing it. */
import { type Command, CommanderError, type Option } from 'commander';
import { programOf } from '../../../cli/src/program';
import { Mistake } from '../../../cli/src/ui/exit';

/** What a command is going to do, in plain data, of the options that it has parsed. */
export type Ordered = (command: Command) => unknown;

/** One for all calls, as thousands of them are made: each parse begins with the defaults. */
const program = programOf();
let called: Command | undefined;
for (const command of program.commands) {
  command.configureOutput({ writeErr: () => undefined });
  command.action(() => {
    called = command;
  });
}

/** The order for these words, as text; or why they are refused. */
export async function asked(
  name: string,
  words: readonly string[],
  orderOf: Ordered = (command) => command.opts(),
): Promise<string | Mistake> {
  called = undefined;
  let order: unknown;
  try {
    await program.parseAsync([name, ...words], { from: 'user' });
    if (called !== undefined) order = orderOf(called);
  } catch (error) {
    if (error instanceof Mistake) return error;
    if (error instanceof CommanderError) return new Mistake(error.message);
    throw error;
  }
  // A key is made anew in each call.
  return (JSON.stringify(order) ?? '').replace(/[\w-]{32}(?=")/g, 'KEY');
}

export const optionsOf = (name: string): Option[] => {
  const command = program.commands.find((one) => one.name() === name);
  if (command === undefined) throw new Error(`no command ${name}`);
  const help = command.createHelp();
  return help.visibleOptions(command).filter(({ long }) => long !== '--help');
};
