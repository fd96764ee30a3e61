// A bare server: GET /N counts to N and responds. In WORKERS processes of Node.js's cluster module when it is set.
const cluster = require('node:cluster');
const { createServer } = require('node:http');

const workers = Number(process.env.WORKERS ?? 0);
if (workers > 0 && cluster.isPrimary) {
  for (let n = 0; n < workers; n += 1) cluster.fork();
} else {
  createServer((request, response) => {
    const most = Number(request.url.slice(1));
    let count = 0;
    while (count < most) count += 1;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ count, pid: process.pid }));
  }).listen(Number(process.env.PORT), '127.0.0.1');
}
