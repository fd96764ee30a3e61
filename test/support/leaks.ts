// The places in which a secret of an order has come to lie: a file, the screen, or the arguments of a process.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startCli } from './cli';
import { pause } from './wait';

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Every process that this one has started, and those that they have. */
function beneath(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(
    all.map((one) => [
      Number(one),
      Number(/\) \S (\d+)/.exec(read(`/proc/${one}/stat`))?.[1] ?? 0),
    ]),
  );
  const isBeneath = (one: number): boolean => {
    const parent = parents.get(one) ?? 0;
    return parent === pid || (parent > 1 && isBeneath(parent));
  };
  return [...parents.keys()].filter(isBeneath);
}

export function filesBeneath(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

export const textOf = (file: string): string => {
  const data = readFileSync(file);
  return (file.endsWith('.gz') ? gunzipSync(data) : data).toString('utf8');
};

export interface Said {
  code: number | null;
  screen: string;
  files: string[];
  commands: Set<string>;
  /** Values of the variables that were asked for, of every process that was seen. */
  variables: Map<string, Set<string>>;
}

/** Looks at all processes beneath `pid` until `ended`; of their variables, at those that are `asked` for. */
export async function processesUntil(
  ended: Promise<unknown>,
  pid: number,
  asked: readonly string[] = [],
): Promise<Pick<Said, 'commands' | 'variables'>> {
  const commands = new Set<string>();
  const variables = new Map(asked.map((name) => [name, new Set<string>()]));
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  ended.then(over, over);
  while (!isOver) {
    for (const one of beneath(pid)) {
      const line = read(`/proc/${String(one)}/cmdline`).replaceAll('\0', ' ');
      // A child has the user's own words until its program is there.
      if (!line.includes('dist/cli.js')) commands.add(line);
      if (asked.length === 0) continue;
      for (const variable of read(`/proc/${String(one)}/environ`).split('\0')) {
        const at = variable.indexOf('=');
        const value = variable.slice(at + 1);
        if (value !== '') variables.get(variable.slice(0, at))?.add(value);
      }
    }
    await pause(20, 'the pace at which it looks');
  }
  return { commands, variables };
}

/** Runs the command in `place` and looks at all processes of it meanwhile; `results` is where its records go. */
export async function watched(
  words: readonly string[],
  place: { cwd: string; results: string; env?: Record<string, string> },
  asked: readonly string[] = [],
): Promise<Said> {
  const run = startCli(words, { N8N_API_KEY: '', ...place.env }, place.cwd);
  const seen = await processesUntil(run.ended, run.child.pid ?? 0, asked);
  const { code } = await run.ended;
  const screen = run.stdout() + run.stderr();
  return { code, screen, files: filesBeneath(place.results), ...seen };
}

/** The places in which a secret was found; none if all is well. */
export function leaksOf(
  { screen, files, commands }: Omit<Said, 'code' | 'variables'>,
  given: readonly string[],
): string[] {
  const places: [string, string][] = [
    ['the screen', screen],
    ...[...commands].map((line): [string, string] => [`the arguments ${line}`, line]),
    ...files.map((file): [string, string] => [file, textOf(file)]),
  ];
  return given.flatMap((secret) =>
    places
      .filter(([, text]) => text.includes(secret) || text.includes(encodeURIComponent(secret)))
      .map(([name]) => `${secret} in ${name}`),
  );
}

/** Nobody but the owner may read any of it. */
export const openFiles = (files: readonly string[]): string[] =>
  files.filter((file) => (statSync(file).mode & 0o077) !== 0);
