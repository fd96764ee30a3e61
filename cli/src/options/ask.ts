/** The one question before what may be somebody's production is loaded. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { publicAddresses } from '../targets/url/private-address';
import { Mistake } from '../ui/exit';

export interface Question {
  /** To be typed, and asked for only once by one call. */
  word: string;
  /** What the word is, such as the name of a host. */
  kind: string;
  /** Why it is asked for. */
  why: string;
}

export interface Consent {
  yes?: boolean;
}

const agreed = new Set<string>();

/** Rejects unless the user types the word. */
export async function ask({ word, kind, why }: Question, { yes = false }: Consent): Promise<void> {
  if (yes || agreed.has(word)) return;
  if (!process.stdin.isTTY) {
    throw new Mistake(
      `${why}, and there is no terminal to ask: add --yes if you are allowed to load-test it.`,
    );
  }
  const capital = why.charAt(0).toUpperCase() + why.slice(1);
  const answer = await answerTo(`\n${capital}. To load-test it, type the ${kind}: `);
  if (answer.trim() !== word) throw new Mistake(`${word} was not load-tested.`);
  agreed.add(word);
}

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
export async function askForHost(
  url: string,
  load: string,
  consent: Consent,
  at = url,
): Promise<void> {
  const [address] = await publicAddresses(at);
  if (address === undefined) return;
  const { host, hostname } = new URL(url);
  const shown = hostname.includes(address) ? host : `${host} (${address})`;
  const why = `${shown} is neither this machine nor a private address, and it would receive ${load}`;
  await ask({ word: host, kind: 'name of the host', why }, consent);
}
