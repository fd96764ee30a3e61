import { createServer } from 'node:net';
import { Failure } from '../../ui/exit';

/** Below the range from which Linux takes ports for outgoing connections, so that a restart finds its port free. */
const lowest = 20_000;
const highest = 32_000;

/** A port on which nothing listens and that was not handed out before by this process. */
export async function freePort(taken: Set<number> = handedOut): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (taken.has(port)) continue;
    if (await isFree(port)) {
      taken.add(port);
      return port;
    }
  }
  throw new Failure(`no free port between ${String(lowest)} and ${String(highest)}`);
}

const handedOut = new Set<number>();

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
