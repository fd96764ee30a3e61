// A port of this machine on which nothing listens, for scripts that start a server.
import { once } from 'node:events';
import { createServer } from 'node:net';

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
