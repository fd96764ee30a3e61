#!/usr/bin/env node
// The service that the workload http-calls calls: small, the same answer every time, and far faster
// than n8n, so that a test measures n8n. Nothing but Node: also the command of a container.
//
//   HOST=127.0.0.1 PORT=5690 TOKEN=load-test-token LATENCY_MS=10 node server.mjs
//
// PORT=0 takes a free one; the first line printed tells which.
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';

const host = process.env.HOST ?? '127.0.0.1';
const port = wholeNumber('PORT', 5690, 65_535);
const latencyMs = wholeNumber('LATENCY_MS', 10, 60_000);
const authorization = `Bearer ${process.env.TOKEN ?? 'load-test-token'}`;

const answers = new Map(
  Object.entries({
    '/customer': { service: 'customer', id: 42, name: 'Ada Example', city: 'Example Town' },
    '/orders': {
      service: 'orders',
      orders: Array.from({ length: 10 }, (_, id) => ({ id, article: `A-${id}`, quantity: id + 1 })),
    },
    '/stock': {
      service: 'stock',
      articles: Array.from({ length: 10 }, (_, id) => ({ article: `A-${id}`, inStock: id * 7 })),
    },
  }).map(([path, answer]) => [path, JSON.stringify(answer)]),
);

const server = createServer((request, response) => {
  request.resume();
  const { pathname } = new URL(request.url ?? '/', 'http://upstream');
  if (pathname === '/healthz') return send(response, 200, '{"status":"ok"}');
  const answer = answers.get(pathname);
  if (answer === undefined) return send(response, 404, '{"error":"no such path"}');
  if (request.headers.authorization !== authorization) {
    return send(response, 401, '{"error":"the bearer token is missing or wrong"}');
  }
  setTimeout(() => send(response, 200, answer), latencyMs);
});

function send(response, status, body) {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function wholeNumber(name, fallback, max) {
  const text = process.env[name] ?? String(fallback);
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < 0 || value > max) {
    console.error(`${name} is '${text}': it must be a whole number from 0 to ${max}`);
    process.exit(2);
  }
  return value;
}

server.on('error', (error) => {
  console.error(`The upstream server cannot listen on ${host}:${port}: ${error.message}`);
  process.exit(1);
});
server.listen(port, host, () => {
  const address = server.address();
  console.log(`listening on http://${host}:${address.port}`);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    server.close(() => process.exit(0));
    server.closeIdleConnections();
    // Calls that are still open have had their chance.
    setTimeout(() => process.exit(0), 2 * latencyMs + 500).unref();
  });
}
