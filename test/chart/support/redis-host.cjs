// Sends a PING through n8n's own client of Redis, with n8n's own variables, and writes what came of it.
const { createRequire } = require('node:module');

const load = createRequire(process.argv[2]);
load('reflect-metadata');
const { Container } = load('@n8n/di');
const { RedisClientService } = load('n8n/dist/services/redis-client.service.js');
const end = (of) => {
  process.stdout.write(of);
  process.exit(0);
};
const client = Container.get(RedisClientService).createClient({ type: 'client(bull)' });
client.on('error', ({ code }) => end(code));
client.ping().then(end);
