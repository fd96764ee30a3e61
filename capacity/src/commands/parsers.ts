/** What the text after a flag becomes: commander says which flag it was, these say how to write it. */
import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../plan/profile';
import { Mistake } from '../ui/exit';

/** For an option that may be repeated. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];

export function seconds(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new InvalidArgumentError('Write it like 30s, 1m30s or 2h.');
  }
}

export const milliseconds = (text: string): number => 1000 * seconds(text);

/** A number for which `is` is true; `sentence` says which numbers those are. */
export function numberThat(is: (value: number) => boolean, sentence: string) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value) || !is(value)) {
      throw new InvalidArgumentError(sentence);
    }
    return value;
  };
}

export const anyNumber = numberThat(() => true, 'It is a number.');
export const positive = numberThat((value) => value > 0, 'It is a number above 0.');
export const countFrom1 = numberThat(
  (value) => Number.isInteger(value) && value >= 1,
  'It is a whole number from 1.',
);

/** A parsed option whose default is written as the user would write it. */
export function parsed<Value>(
  flags: string,
  text: string,
  parse: (given: string) => Value,
  usual?: string,
): Option {
  const option = new Option(flags, text).argParser(parse);
  return usual === undefined ? option : option.default(parse(usual), usual);
}

/** A flag that is there no longer: whoever still gives it is told its successor. */
export function removed(flags: string, successor: string): Option {
  return new Option(flags).hideHelp().argParser(() => {
    throw new Mistake(`${flags.split(' ')[0] ?? flags} is there no longer: use ${successor}.`);
  });
}
