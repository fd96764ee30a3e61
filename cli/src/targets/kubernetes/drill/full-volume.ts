/** The volume of the release's PostgreSQL, filled by a file and emptied again, from within its container. */
import { Failure, messageOf } from '../../../ui/exit';
import type { DrillAccess } from '../../target';
import type { Cluster } from '../api/api';
import type { ContainerSeat } from '../pods/pods';

const FILE = '"${PGDATA%/*}/n8n-tuned-full-disk"';

/**
 * Only a file system of the volume's own: the kubelet keeps /etc/hosts on the disk of the node. The file is made as large as
 * what is free, and by small writes until none is left. Says how many KiB were used before.
 */
export const FILL_SCRIPT = `set -eu
if [ "$(stat -c %d "$PGDATA")" = "$(stat -c %d /etc/hosts)" ]; then
  echo "its volume lies on the disk of its node, which would be filled: give PostgreSQL a volume with a file system of its own" >&2
  exit 1
fi
set -- $(df -Pk "$PGDATA" | awk 'NR == 2 { print $3, $4 }')
fallocate -l "\${2}k" ${FILE} 2>/dev/null || true
dd if=/dev/zero bs=65536 >> ${FILE} 2>/dev/null || true
dd if=/dev/zero bs=4096 >> ${FILE} 2>/dev/null || true
echo "$1"`;

export const FREE_SCRIPT = `rm -f ${FILE}`;

/** A large volume takes its time where its file system has no quick way. */
const FILLED_WITHIN_MS = 120_000;

export async function fillVolume(
  { cluster, namespace }: { cluster: Pick<Cluster, 'output'>; namespace: string },
  { pod, container }: ContainerSeat,
): ReturnType<NonNullable<DrillAccess['fillDisk']>> {
  const at = { namespace, pod, container };
  const freeUp = async (): Promise<void> => {
    await cluster.output(at, ['sh', '-c', FREE_SCRIPT]);
  };
  try {
    const used = await cluster.output(at, ['sh', '-c', FILL_SCRIPT], FILLED_WITHIN_MS);
    return { what: 'PostgreSQL', usedMiB: Number(used.trim()) / 1024, freeUp };
  } catch (error) {
    await freeUp().catch(() => undefined); // The first error tells more.
    throw new Failure(`the disk of PostgreSQL was not filled ${messageOf(error)}`);
  }
}
