// Puts a database of some milliseconds away before n8n (node --require): a proxy on loopback, in a thread of n8n's process,
// that passes on each chunk DATABASE_ROUND_TRIP_MS (such as 0.5) after it came from PostgreSQL. n8n is told its port instead.
const { Worker, isMainThread, workerData } = require('node:worker_threads');
const net = require('node:net');
const { later } = require('../later.cjs');

const LISTENING = 0;

function startProxy() {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const to = {
    host: process.env.DB_POSTGRESDB_HOST ?? '127.0.0.1',
    port: Number(process.env.DB_POSTGRESDB_PORT),
  };
  const delayMs = Number(process.env.DATABASE_ROUND_TRIP_MS);
  const worker = new Worker(__filename, {
    workerData: { shared, to, delayMs },
    execArgv: [],
    env: {},
  });
  worker.unref();
  Atomics.wait(shared, LISTENING, 0, 10_000);
  process.env.DB_POSTGRESDB_HOST = '127.0.0.1';
  process.env.DB_POSTGRESDB_PORT = String(Atomics.load(shared, LISTENING));
}

function proxy({ shared, to, delayMs }) {
  const server = net.createServer({ noDelay: true }, (client) => {
    const upstream = net.connect({ ...to, noDelay: true });
    client.pipe(upstream);
    upstream.on('data', (chunk) => later(() => client.write(chunk), delayMs));
    upstream.on('end', () => later(() => client.end(), delayMs));
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1', () => {
    Atomics.store(shared, LISTENING, server.address().port);
    Atomics.notify(shared, LISTENING);
  });
}

if (!isMainThread && workerData?.shared) proxy(workerData);
else if (
  isMainThread &&
  process.env.DB_POSTGRESDB_PORT &&
  /\/bin\/n8n$/.test(process.argv[1] ?? '')
) {
  startProxy();
}
