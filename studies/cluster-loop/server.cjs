// A bare server: GET /N counts to N and responds. In WORKERS processes of Node.js's cluster module when it is set. LEAVES
// says what it does when it is told to end: nothing, as Node.js by itself; `close`: it ends when its open requests have had
// their responses; `drain`: before that, for a second, it tells every client to come back on another connection.
const cluster = require('node:cluster');
const { createServer } = require('node:http');
const { setTimeout } = require('node:timers');

/** Within the 1.6 s after which PM2 kills what has not ended. */
const DRAIN_MS = 1000;
const workers = Number(process.env.WORKERS ?? 0);
if (workers > 0 && cluster.isPrimary) {
  for (let n = 0; n < workers; n += 1) cluster.fork();
} else {
  let isLeaving = false;
  const server = createServer((request, response) => {
    const max = Number(request.url.slice(1));
    let count = 0;
    while (count < max) count += 1;
    response.setHeader('content-type', 'application/json');
    if (isLeaving) response.setHeader('connection', 'close');
    response.end(JSON.stringify({ count, pid: process.pid }));
  }).listen(Number(process.env.PORT), '127.0.0.1');
  const leaves = process.env.LEAVES;
  if (leaves !== undefined) {
    process.once('SIGINT', () => {
      isLeaving = true;
      const close = () => server.close(() => process.exit());
      if (leaves === 'drain') setTimeout(close, DRAIN_MS);
      else close();
    });
  }
}
