#!/usr/bin/env node
// The service that the workloads http-calls and side-effect call: small, the same answer every time, and far faster
// than n8n, so that a test measures n8n. Nothing but Node: also the command of a container. For drills it counts what
// workflows do outside n8n (effects.mjs).
//
//   HOST=127.0.0.1 PORT=5690 TOKEN=load-test-token LATENCY_MS=10 EFFECTS_FILE=effects.log node server.mjs
//
// PORT=0 takes a free one; the first line printed tells which.
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { countEffects } from './effects.mjs';

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

const effects = countEffects(process.env.EFFECTS_FILE);

const server = createServer((request, response) => {
  request.resume();
  const url = new URL(request.url ?? '/', 'http://upstream');
  const { pathname } = url;
  if (pathname === '/healthz') return send(response, 200, '{"status":"ok"}');
  if (pathname === '/effects') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    return effects.read().pipe(response);
  }
  const recorded = effects.record(request.method, url);
  if (recorded !== null) return send(response, recorded.status, recorded.json);
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
  process.once(signal, () => {
    const end = () => {
      effects.end();
      process.exit(0);
    };
    server.close(end);
    server.closeIdleConnections();
    // Calls that are still open have had their chance.
    setTimeout(end, 2 * latencyMs + 500).unref();
  });
}
