// What the servers of this study have in common: they respond as the workload last-node does, with the request.
import { createServer } from 'node:http';

/** Listens on PORT and responds with what `work` gives, or with 500 and why it failed. */
export function serve(work) {
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
  server.listen(Number(process.env.PORT), '127.0.0.1');
}
