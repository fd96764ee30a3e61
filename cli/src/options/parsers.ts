/** What the text after a flag becomes: commander says which flag it was, these say how to write it. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseDuration } from '../../../loadtests/lib/duration';
import { nearest } from '../../../loadtests/lib/nearest';
import { parseCpu, parseDataSize, parseMemory } from '../plan/quantities';
import { ROLES } from '../plan/roles';
import { NEVER, parseStopIf } from '../plan/stop-if';
import type { MetricsEndpoint } from '../targets/target';

/** For an option that may be repeated. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** `parse` throws what it does not understand; `sentence` says how to write it. */
function understood<Value>(parse: (text: string) => Value, sentence: string) {
  return (text: string): Value => {
    try {
      return parse(text);
    } catch {
      throw new InvalidArgumentError(sentence);
    }
  };
}

export const seconds = understood(parseDuration, 'Use a form such as 30s, 1m30s or 2h.');

export const milliseconds = (text: string): number => 1000 * seconds(text);

/** What a request costs: milliseconds, of which a bare number would be seconds. */
export const cpuOfRequest = understood((text) => {
  const ms = 1000 * parseDuration(text);
  if (!/[a-z]$/.test(text) || !(ms > 0)) throw new Error(text);
  return ms;
}, 'Use a form such as 12ms.');

export const millicores = understood(parseCpu, 'Use a form such as 500m, 0.5 or 2.');

export const mebibytes = understood(parseMemory, 'Use a form such as 1024Mi or 1Gi.');

export const kibibytes = understood(parseDataSize, 'Use a form such as 50Ki or 2Mi.');

/** A part of a whole: between 0 and 1. */
export const share = understood((text) => {
  const value = /^\d+(?:\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) / 100 : NaN;
  if (!(value > 0 && value < 1)) throw new Error(text);
  return value;
}, 'Use a form such as 10%.');

/** V8's old space. */
export const heap = understood(
  (text) => (text === 'auto' || text === 'none' ? text : parseMemory(text)),
  'It must be auto, none or an amount such as 768Mi.',
);

/** For an option that may be repeated. */
export function stopConditions(text: string, before: string[] = []): string[] {
  if (text !== NEVER) parseStopIf(text);
  return [...before, text];
}

/** For an option that may be repeated; of two with the same name the later one counts. */
export function variables(
  text: string,
  before: Record<string, string> = {},
): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('Use a form such as NAME=value.');
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}

/** `worker=http://10.0.0.7:5678/metrics`, without a role that of main; for an option that may be repeated. */
/** The address is plain HTTP, with nothing behind its port. */
export const standInAddress = understood((text) => {
  const url = new URL(text);
  if (url.protocol === 'http:' && text.replace(/\/$/, '') === url.origin) return url.origin;
  throw new Error();
}, 'Use a form such as http://10.0.0.5:5690.');

export function metricsEndpoints(text: string, before: MetricsEndpoint[] = []): MetricsEndpoint[] {
  const [, word = 'main', url = ''] = /^(?:(\w+)=)?(.*)$/.exec(text) ?? [];
  const role = ROLES.find((one) => one === word);
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (role === undefined || !/^https?:$/.test(protocol)) {
    throw new InvalidArgumentError(
      `Use a form such as http://127.0.0.1:5678/metrics or worker=http://127.0.0.1:5679/metrics; roles are ${ROLES.join(', ')}.`,
    );
  }
  const number = 1 + before.filter((one) => one.role === role).length;
  return [...before, { role, instance: `${role}-${String(number)}`, url }];
}

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

export const anyNumber = numberThat(() => true, 'It must be a number.');
export const positive = numberThat((value) => value > 0, 'It must be a number above 0.');
export const countFrom0 = numberThat(
  (value) => Number.isInteger(value) && value >= 0,
  'It must be a whole number of at least 0.',
);
export const countFrom1 = numberThat(
  (value) => Number.isInteger(value) && value >= 1,
  'It must be a whole number of at least 1.',
);

const FACTORS: Record<string, number> = { '': 1, k: 1_000, M: 1_000_000 };

/** `1M`, `250k` or `250000`. */
export function largeCount(text: string): number {
  const [, digits = '', suffix = ''] = /^(\d+(?:\.\d+)?)([kM]?)$/.exec(text.trim()) ?? [];
  const value =
    digits === '' ? NaN : Number((Number(digits) * (FACTORS[suffix] ?? NaN)).toFixed(6));
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError(
    'It must be a whole number of at least 1, such as 250000, 250k or 1M.',
  );
}

/** A parsed option whose default is written as the user would write it. */
export function parsed<Value>(
  flags: string,
  text: string,
  parse: (given: string) => Value,
  fallback?: string,
): Option {
  const option = new Option(flags, text).argParser(parse);
  return fallback === undefined ? option : option.default(parse(fallback), fallback);
}

/** Says which of an option's choices was probably meant; to be called when all choices are there. */
export function suggestChoices(command: Command): void {
  for (const one of [...command.options, ...command.registeredArguments]) {
    const { argChoices, parseArg } = one;
    if (argChoices === undefined || parseArg === undefined) continue;
    one.argParser<unknown>((word, before) => {
      const near = nearest(word, argChoices);
      if (argChoices.includes(word) || near === null) return parseArg(word, before);
      throw new InvalidArgumentError(
        `Allowed choices are ${argChoices.join(', ')}. Did you mean ${near}?`,
      );
    });
  }
}

/** Lets a command name an option that it does not know before it asks for a required one; to be called when all options are there. */
export function nameUnknownFirst(command: Command): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (words) => {
    const parsed = parse(words);
    if (parsed.unknown.some((word) => word.startsWith('-'))) {
      for (const option of command.options) option.makeOptionMandatory(false);
    }
    return parsed;
  };
}
