/** What earlier commands left in an n8n that is somebody's: by what they wrote down, and by the names of what is there. */
import { callIn } from '../../catalogue/own-copy';
import { messageOf } from '../../ui/exit';
import { ApiRefusal, type N8nRequests } from './api';
import { UrlJournal, type PutIn, type MakerState } from './journal';
import { allNamed } from './removal';

export interface LeftInUrl {
  made: PutIn;
  call: string;
  state: MakerState;
  /** Null where only its name tells of it. */
  journal: UrlJournal | null;
}

const LISTED_WITHIN_MS = 30_000;

/** `warn` hears of what could not be looked at. */
export async function leftoversAt(
  api: N8nRequests,
  baseUrl: string,
  warn: (text: string) => void,
): Promise<LeftInUrl[]> {
  const journals = UrlJournal.all(warn);
  const written = journals
    .filter((journal) => journal.baseUrl === baseUrl)
    .flatMap((journal) =>
      journal.made.map((made): LeftInUrl => {
        const { call, state } = journal;
        return { made, call, state, journal };
      }),
    );
  const there = [
    ...(await named(api, 'workflow', warn)),
    ...(await named(api, 'credential', warn)),
  ];
  return [...written, ...unwritten(there, written, journals)];
}

/** Pure. Its journal may be on another machine, or lost. */
function unwritten(
  there: readonly PutIn[],
  written: readonly LeftInUrl[],
  journals: readonly UrlJournal[],
): LeftInUrl[] {
  return there.flatMap((made): LeftInUrl[] => {
    const call = callIn(made.name);
    const isWritten = written.some(
      (each) =>
        each.made.kind === made.kind &&
        (each.made.id === made.id || (each.made.id === null && each.made.name === made.name)),
    );
    if (call === null || isWritten) return [];
    // The same n8n may have been given another address then.
    const state = journals.find((journal) => journal.call === call)?.state ?? 'elsewhere';
    return [{ made, call, state, journal: null }];
  });
}

async function named(
  api: N8nRequests,
  kind: PutIn['kind'],
  warn: (text: string) => void,
): Promise<PutIn[]> {
  try {
    const path = kind === 'workflow' ? '/workflows' : '/credentials';
    const all = await allNamed(api, path, LISTED_WITHIN_MS);
    return all.map(({ id, name }) => ({ kind, name, id }));
  } catch (error) {
    // Older versions of n8n list no credentials.
    if (!(error instanceof ApiRefusal) || ![403, 404, 405].includes(error.status)) throw error;
    if (error.status === 404 && !error.isOfN8n) throw error;
    warn(
      `the ${kind}s of this n8n instance cannot be listed, so only those recorded on this machine are removed: ${messageOf(error)}`,
    );
    return [];
  }
}
