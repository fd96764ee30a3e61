// Callers that keep their connections and never ask twice: a client that repeats a request by itself hides what is lost.
import http from 'node:http';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

/** Asks at an even rate until stopped; then what became of each request. */
export function callers(url, ratePerSecond) {
  const agent = new http.Agent({ keepAlive: true });
  const seen = { requests: 0, right: 0, wrong: {} };
  let open = 0;
  const ends = (outcome) => {
    open -= 1;
    if (outcome === '200') seen.right += 1;
    else seen.wrong[outcome] = (seen.wrong[outcome] ?? 0) + 1;
  };
  const ask = () => {
    seen.requests += 1;
    open += 1;
    const request = http.get(url, { agent, timeout: PATIENCE_MS }, (response) => {
      response.resume();
      response.once('end', () => ends(String(response.statusCode)));
      response.once('error', (error) => ends(error.code ?? error.message));
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', (error) => ends(error.code ?? error.message));
  };
  const timer = setInterval(ask, 1000 / ratePerSecond);
  return {
    async stop() {
      clearInterval(timer);
      while (open > 0) await sleep(100);
      agent.destroy();
      return seen;
    },
  };
}

// node studies/charts/callers.mjs <url> <requests a second> <seconds>
if (process.argv[1] === import.meta.filename) {
  const [url, ratePerSecond, seconds] = process.argv.slice(2);
  const asking = callers(url, Number(ratePerSecond));
  await sleep(1000 * Number(seconds));
  console.log(JSON.stringify(await asking.stop()));
}
