/**
 * A server for the target `server`: HTTP in PORT, in WORKERS processes of Node.js's cluster module when it is set.
 * GET /end makes the process that answers it end; all else gets its pid.
 */
const cluster = require('node:cluster');
const { createServer } = require('node:http');

const workers = Number(process.env.WORKERS ?? 0);
if (workers > 0 && cluster.isPrimary) {
  for (let n = 0; n < workers; n += 1) cluster.fork();
} else {
  createServer((request, response) => {
    response.end(JSON.stringify({ ok: true, pid: process.pid }), () => {
      if (request.url === '/end') {
        console.error('the planted end');
        process.exit(7);
      }
    });
  }).listen(Number(process.env.PORT), '127.0.0.1');
}
