/** Every connection to n8n's PostgreSQL, taken from within the container of main. */
import { Failure } from '../../../ui/exit';
import type { DrillAccess } from '../../target';
import type { Cluster } from '../api/api';
import type { ContainerSeat } from '../pods/pods';

/** Time for n8n to lose the race for a connection; longer means it always wins. */
const TAKEN_WITHIN_MS = 60_000;

/** `program`: pod-connections, as it is built. */
export async function takeConnections(
  { cluster, namespace }: { cluster: Pick<Cluster, 'exec'>; namespace: string },
  { pod, container }: ContainerSeat,
  program: string,
): ReturnType<DrillAccess['useUpConnections']> {
  const closing = new AbortController();
  let write: (text: string) => void = () => undefined;
  let text = '';
  let isTaken: (count: number) => void = () => undefined;
  const taken = new Promise<number>((resolve) => (isTaken = resolve));
  const ended = cluster.exec(
    { namespace, pod, container },
    ['env', '-u', 'NODE_OPTIONS', 'node', '--no-warnings', '-e', program],
    {
      onOutput: (more) => {
        text += more;
        if (text.includes('\n')) isTaken(Number(text));
        return null;
      },
      onOpen: (say) => {
        write = say;
      },
      signal: closing.signal,
    },
  );
  const failed = ended.then(({ code, stderr }) => {
    throw new Failure(
      `the connections to PostgreSQL could not all be taken: ${closing.signal.aborted ? 'it took too long' : stderr.trim() || `exit code ${String(code)}`}`,
    );
  });
  failed.catch(() => undefined); // Once they are taken, its end is expected.
  const patience = setTimeout(() => {
    closing.abort();
  }, TAKEN_WITHIN_MS);
  try {
    return {
      taken: await Promise.race([taken, failed]),
      giveBack: async () => {
        write('\n');
        await ended.catch(() => undefined);
      },
    };
  } finally {
    clearTimeout(patience);
  }
}
