// `helm test`: calls the Service that takes production webhooks for 10 seconds, over the network as a caller does, and says
// which patches are active.
const { setTimeout: sleep } = require('node:timers/promises');

const { URL: url, STATUS, BODY, READY_SECONDS, METRICS } = process.env;
const PAUSE_MS = 500;
const REQUESTS = 20;
const ANSWER_MS = 30_000;

/** What is wrong with one response; null where it is as expected. */
async function complaint() {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    const body = await reply.text();
    if (reply.status === Number(STATUS) && body.includes(BODY)) return null;
    return `status ${reply.status}, ${body.slice(0, 200)}`;
  } catch (error) {
    return `no response: ${error.cause?.message ?? error.message}`;
  }
}

async function test() {
  console.log(`GET ${url}: status ${STATUS} and ${BODY} are expected`);
  // n8n answers 404 to a webhook for a moment after it is ready.
  const readyUntil = Date.now() + Number(READY_SECONDS) * 1000;
  for (let wrong = await complaint(); wrong !== null; wrong = await complaint()) {
    if (Date.now() > readyUntil) throw new Error(`not within ${READY_SECONDS} s: ${wrong}`);
    await sleep(PAUSE_MS);
  }
  const wrong = [];
  for (let request = 0; request < REQUESTS; request++) {
    const found = await complaint();
    if (found !== null) wrong.push(found);
    await sleep(PAUSE_MS);
  }
  if (wrong.length > 0) throw new Error(`${wrong.length} of ${REQUESTS} answers: ${wrong[0]}`);
  console.log(`${REQUESTS} of ${REQUESTS} answers are as expected`);
}

/** An inactive patch is no failure, because n8n then runs its own code. METRICS: role=address, with commas between. */
async function tellPatches() {
  if (!METRICS) console.log('with monitoring.enabled=true, the patches are listed here');
  for (const one of METRICS ? METRICS.split(',') : []) {
    const [role, address] = one.split('=');
    const asked = fetch(address, { signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await asked.then((reply) => reply.text()).catch((error) => `${error}`);
    const states = text.matchAll(/^n8n_tuned_patch_in_force\{patch="(.+?)",state="(.+?)"/gm);
    const told = [...states].map(([, patch, state]) => `${patch} ${state}`).join(', ');
    console.log(`patches of ${role}: ${told || 'not shown'}`);
  }
}

test()
  .then(tellPatches)
  .catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
