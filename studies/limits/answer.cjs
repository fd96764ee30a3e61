// What the servers of this study have in common: they respond as the workload last-node does, with the request.
const { createServer } = require('node:http');
const { homedir } = require('node:os');
const { join } = require('node:path');

const { N8N_TUNED_CACHE, XDG_CACHE_HOME, PORT } = process.env;
/** The folder of the lab's tools. */
const cache = N8N_TUNED_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'n8n-tuned');

/** Listens on PORT and responds with what `work` gives, or with 500 and why it failed. */
function serve(work) {
  const server = createServer((request, response) => {
    const item = { headers: request.headers, params: {}, query: {}, body: {} };
    Promise.resolve(item)
      .then(work)
      .then((body) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(body));
      })
      .catch((error) => {
        console.error(error);
        response.statusCode = 500;
        response.end();
      });
  });
  server.listen(Number(PORT), '127.0.0.1');
}

module.exports = { cache, serve };
