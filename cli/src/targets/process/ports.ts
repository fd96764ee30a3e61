import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { Failure } from '../../ui/exit';

/** Below the range from which Linux takes ports for outgoing connections, so that a restart finds its port free. */
const lowest = 20_000;
const highest = 32_000;

/**
 * A port on which nothing listens, and that neither this process nor another one that asks here has got before. It is theirs
 * long before something listens on it: an n8n takes seconds to start.
 */
export async function freePort(range = { lowest, highest }): Promise<number> {
  const ports = range.highest - range.lowest;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = range.lowest + Math.floor(Math.random() * ports);
    if ((await isFree(port)) && (await isMine(port))) return port;
  }
  throw new Failure(
    `there is no free port between ${String(range.lowest)} and ${String(range.highest)}: stop programs that use these ports`,
  );
}

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

/** The port of the same number for datagrams marks it until this process ends, and gets in the way of nothing else. */
function isMine(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const mark = createSocket('udp4');
    mark.once('error', () => {
      mark.close();
      resolve(false);
    });
    mark.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      mark.unref();
      resolve(true);
    });
  });
}
