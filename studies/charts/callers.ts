// Callers that keep their connections and never ask twice: a client that repeats a request by itself hides what is lost.
// Each asks again a while after its last response, so that a slow n8n gets fewer requests: what is lost here is lost by a
// pod that goes, not by too much load.
//
//   npx tsx studies/charts/callers.ts <url> <callers> <seconds>
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 1000;
const PATIENCE_MS = 120_000;
/** What n8n answers, with status 200, of an execution whose worker could not store it. */
const WITHOUT_DATA = 'did not return any data';

export interface Seen {
  requests: number;
  right: number;
  /** How many by status, or by the error of the connection. */
  wrong: Record<string, number>;
}

/** They ask until stopped, which gives what became of each request. */
export function callers(url: string, count: number, pauseMs = PAUSE_MS) {
  const seen: Seen = { requests: 0, right: 0, wrong: {} };
  let isStopped = false;
  const asking = Array.from({ length: count }, async (_, number) => {
    await sleep((number * pauseMs) / count);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (!isStopped) {
      const outcome = await ask(url, agent);
      seen.requests += 1;
      if (outcome === '200') seen.right += 1;
      else seen.wrong[outcome] = (seen.wrong[outcome] ?? 0) + 1;
      await sleep(pauseMs);
    }
    agent.destroy();
  });
  return {
    async stop(): Promise<Seen> {
      isStopped = true;
      await Promise.all(asking);
      return seen;
    },
  };
}

/** The status of the response, or the error of the connection. */
function ask(url: string, agent: http.Agent): Promise<string> {
  return new Promise((resolve) => {
    const fails = ({ code, message }: NodeJS.ErrnoException): void => {
      resolve(code ?? message);
    };
    const request = http.get(url, { agent, timeout: PATIENCE_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.once('end', () => {
        const isEmpty = response.statusCode === 200 && body.includes(WITHOUT_DATA);
        resolve(`${String(response.statusCode)}${isEmpty ? ' without data' : ''}`);
      });
      response.once('error', fails);
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', fails);
  });
}

if (process.argv[1] === import.meta.filename) {
  const [url = '', count, seconds] = process.argv.slice(2);
  const asking = callers(url, Number(count));
  void sleep(1000 * Number(seconds))
    .then(() => asking.stop())
    .then((seen) => {
      console.log(JSON.stringify(seen));
    });
}
