// A bare server, whose response says which process gave it: one process, or WORKERS of Node.js's cluster module.
const cluster = require('node:cluster');
const { writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { hostname } = require('node:os');

const { HOST = '127.0.0.1', LISTENS_FILE, PORT, WORKERS = '0' } = process.env;
if (Number(WORKERS) > 0 && cluster.isPrimary) {
  for (let n = 0; n < Number(WORKERS); n += 1) cluster.fork();
} else {
  const body = JSON.stringify({ ranBy: { host: hostname(), pid: process.pid, role: 'worker' } });
  createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(body);
  }).listen(Number(PORT), HOST, () => {
    if (LISTENS_FILE !== undefined) writeFileSync(LISTENS_FILE, '');
  });
}
