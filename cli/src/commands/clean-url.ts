/** `clean --url`: removes what earlier commands left in somebody's n8n. */
import { N8nApi } from '../targets/url/api';
import { leftoversAt, type LeftInUrl } from '../targets/url/leftovers';
import type { PutIn } from '../targets/url/journal';
import { keptText, leftText, madeText, removeMade } from '../targets/url/removal';
import { baseUrlFrom } from '../targets/url/address';
import { LeftBehind, Mistake } from '../ui/exit';
import { printJson, printLines, warn } from '../ui/print';
import { startProgress } from '../ui/progress';

export interface CleanUrlOptions {
  url: string;
  elsewhere?: boolean;
  json?: boolean;
}

export async function cleanUrl({ url, elsewhere, json }: CleanUrlOptions): Promise<void> {
  const baseUrl = baseUrlFrom(url);
  const apiKey = process.env['N8N_API_KEY'];
  if (apiKey === undefined || apiKey === '') {
    throw new Mistake(
      'clean --url requires the n8n API: set N8N_API_KEY in the environment to the key that was used for the load.',
    );
  }
  const api = new N8nApi(baseUrl, apiKey);
  const progress = startProgress();
  try {
    progress.tell(`looking for leftovers in n8n at ${baseUrl}`);
    const found = await leftoversAt(api, baseUrl, warn);
    const chosen = found.filter(
      ({ state }) => state === 'ended' || (state === 'elsewhere' && elsewhere === true),
    );
    progress.tell('removing what was left');
    const journals = new Map(chosen.map(({ made, journal }) => [made, journal]));
    const renamed = new Map<PutIn, string>();
    const left = await removeMade(api, [...journals.keys()], {
      onGone: (made) => {
        journals.get(made)?.gone(made);
      },
      onKept: (made, name) => {
        journals.get(made)?.gone(made);
        renamed.set(made, name);
      },
    });
    progress.end();
    const isLeft = ({ made }: LeftInUrl): boolean => left.some((each) => each.made === made);
    const removed = chosen.filter((each) => !isLeft(each) && !renamed.has(each.made));
    const kept = found
      .filter((each) => !chosen.includes(each) || renamed.has(each.made))
      .map((each): Kept => ({ ...each, nameNow: renamed.get(each.made) }));
    if (json === true) {
      printJson({
        removed: removed.map(shown),
        kept: kept.map((each) => ({ ...shown(each), nameNow: each.nameNow })),
        left: left.map(({ made, why }) => ({ ...made, why })),
      });
    } else printLines(lines(removed, kept, left.length));
    if (left.length > 0) throw new LeftBehind(`${leftText(baseUrl, left)}.`);
  } finally {
    progress.end();
  }
}

interface Kept extends LeftInUrl {
  /** What somebody has called it since; undefined where it has its name. */
  nameNow: string | undefined;
}

const shown = ({ made, call, state }: LeftInUrl): object => ({ ...made, call, state });

function lines(removed: readonly LeftInUrl[], kept: readonly Kept[], left: number): string[] {
  return [
    ...removed.map(({ made }) => `removed ${madeText(made)}`),
    ...kept.map(({ made, state, nameNow }) => {
      if (nameNow !== undefined) return keptText(made, nameNow);
      return state === 'running'
        ? `not removed, because the command that created it is still running: ${madeText(made)}`
        : `not removed, because no command on this machine is known to have created it (--elsewhere removes it): ${madeText(made)}`;
    }),
    ...(removed.length + kept.length + left === 0 ? ['nothing was left behind.'] : []),
  ];
}
