/** What the user is asked on a terminal, such as before what may be somebody's production is loaded. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { publicAddresses } from '../targets/url/private-address';
import { Mistake } from '../ui/exit';

export interface Question {
  /** To be typed, and each asked for only once by one call. */
  words: readonly string[];
  /** What they are, such as the name of a host. */
  kind: string;
  /** Why it is asked for. */
  why: string;
}

export interface Consent {
  yes?: boolean;
}

const agreed = new Set<string>();

/** Rejects unless the user types the words. */
export async function ask({ words, kind, why }: Question, { yes = false }: Consent): Promise<void> {
  if (yes || words.every((word) => agreed.has(word))) return;
  const [it, was] = words.length === 1 ? ['it', 'was'] : ['them', 'were'];
  if (!process.stdin.isTTY) {
    throw new Mistake(
      `${why}, and there is no terminal to ask: add --yes if you are allowed to load-test ${it}.`,
    );
  }
  const capital = why.charAt(0).toUpperCase() + why.slice(1);
  const answer = await answerTo(`\n${capital}. To load-test ${it}, type the ${kind}: `);
  if (oneByOne(answer) !== oneByOne(words.join(' '))) {
    throw new Mistake(`${words.join(' and ')} ${was} not load-tested.`);
  }
  for (const word of words) agreed.add(word);
}

/** Whether the user says yes; nobody is asked where a program reads what comes of it. */
export async function agrees(question: string): Promise<boolean> {
  const isAlone = process.argv.includes('--json') || Boolean(process.env['CI']);
  if (isAlone || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  return /^\s*y(es)?\s*$/i.test(await answerTo(`${question} [y/N] `));
}

/** However several are told apart. */
const oneByOne = (text: string): string =>
  text
    .trim()
    .split(/[\s,]+/)
    .join(' ');

/** Empty where the user ends the question, by Ctrl-C or Ctrl-D, or the terminal goes away. */
async function answerTo(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const gone = once(terminal, 'close').then(() => '\n');
  const answer = await Promise.race([terminal.question(question), gone]).catch(() => '\n');
  if (answer === '\n') process.stderr.write(answer);
  terminal.close();
  return answer;
}

/** `load`: what it would get, in words. `at`: where requests to it go, if not to what DNS says. */
export const askForHost = (url: string, load: string, consent: Consent, at = url): Promise<void> =>
  askForHosts([{ url, at }], () => load, consent);

/** One question for all that are public, with what these would get. */
export async function askForHosts<Place extends { url: string; at?: string }>(
  places: readonly Place[],
  loadOf: (reached: readonly Place[]) => string,
  consent: Consent,
): Promise<void> {
  const reached: Place[] = [];
  const shown = new Map<string, string>();
  for (const place of places) {
    const { url, at = url } = place;
    const [address] = await publicAddresses(at);
    if (address === undefined) continue;
    reached.push(place);
    const { host, hostname } = new URL(url);
    shown.set(host, hostname.includes(address) ? host : `${host} (${address})`);
  }
  if (reached.length === 0) return;
  const hosts = [...shown.values()].join(' and ');
  const [kind, are] =
    shown.size === 1
      ? ['name of the host', 'is neither this machine nor a private address, and it']
      : ['names of the hosts', 'are neither this machine nor private addresses, and they'];
  const why = `${hosts} ${are} would receive ${loadOf(reached)}`;
  await ask({ words: [...shown.keys()], kind, why }, consent);
}
