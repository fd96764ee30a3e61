// A registry that takes what is pushed, where the cluster is reached from: there 127.0.0.1 is not this machine's.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { FRONT_DOOR } from './cluster';

const PROGRAM = `
import { startOciRegistry } from './oci-registry';
void startOciRegistry().then(({ host }) => console.log(host));
// It ends with the test that started it.
process.stdin.on('end', () => process.exit()).resume();
`;

export interface RegistryInCluster {
  /** Such as `127.0.0.1:40001`, for commands of inCluster(). */
  host: string;
  close(): Promise<void>;
}

/** `folder` takes its program. */
export async function startRegistryInCluster(folder: string): Promise<RegistryInCluster> {
  const outfile = join(folder, 'registry.cjs');
  buildSync({
    stdin: { contents: PROGRAM, resolveDir: __dirname },
    ...{ bundle: true, platform: 'node', outfile },
  });
  const registry = spawn(FRONT_DOOR, ['exec', process.execPath, outfile], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => registry.once('exit', () => resolve()));
  for await (const host of createInterface({ input: registry.stdout })) {
    return {
      host,
      close: () => {
        registry.stdin.end();
        return ended;
      },
    };
  }
  throw new Error('the registry ended before it had an address');
}
