// Stands in for the launcher of n8n's image of task runners, whose image cannot be had here. What it does is that
// launcher's documented behaviour: a health endpoint; it exchanges the shared token for a grant token; offers itself
// to the broker as a runner and, when a task comes, defers it and starts the real @n8n/task-runner with the variables that
// its config lets through; when the runner has ended, it offers itself again. It does not look at signals: SIGTERM ends it
// at once, and with it the container and its runner.
const { spawn } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');

const env = process.env;
const broker = env.N8N_RUNNERS_TASK_BROKER_URI ?? 'http://127.0.0.1:5679';
const type = process.argv[2];
const config = JSON.parse(
  readFileSync(env.N8N_RUNNERS_CONFIG_PATH ?? '/etc/n8n-task-runners.json', 'utf8'),
)['task-runners'].find((runner) => runner['runner-type'] === type);
const ALWAYS_PASSED = ['LANG', 'PATH', 'TZ', 'TERM'];
const RETRY_MS = 500;

async function brokerIsReady() {
  for (;;) {
    const reply = await fetch(`${broker}/healthz`).catch(() => null);
    if (reply?.ok) return;
    await sleep(RETRY_MS);
  }
}

async function grantToken() {
  const reply = await fetch(`${broker}/runners/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: env.N8N_RUNNERS_AUTH_TOKEN }),
  });
  if (!reply.ok) throw new Error(`the broker gives no grant token: status ${reply.status}`);
  return (await reply.json()).data.token;
}

/** Until the broker has a task for a runner of this type; false where it went away. */
function taskWaits(token) {
  const { WebSocket } = require('ws');
  const id = `launcher-${process.pid}-${Date.now()}`;
  const socket = new WebSocket(`${broker.replace(/^http/, 'ws')}/runners/_ws?id=${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return new Promise((resolve) => {
    const say = (message) => socket.send(JSON.stringify(message));
    const answers = {
      'broker:inforequest': () =>
        say({ type: 'runner:info', types: [type], name: `launcher-${type}` }),
      'broker:runnerregistered': () =>
        say({ type: 'runner:taskoffer', taskType: type, offerId: `offer-${id}`, validFor: -1 }),
      'broker:taskofferaccept': ({ taskId }) => {
        say({ type: 'runner:taskdeferred', taskId });
        resolve(true);
        socket.close();
      },
    };
    socket.on('message', (text) => {
      const message = JSON.parse(text);
      answers[message.type]?.(message);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(false));
  });
}

function runnerEnv(token) {
  const passed = [...ALWAYS_PASSED, ...config['allowed-env']].filter((name) => name in env);
  return {
    ...Object.fromEntries(passed.map((name) => [name, env[name]])),
    N8N_RUNNERS_AUTO_SHUTDOWN_TIMEOUT: env.N8N_RUNNERS_AUTO_SHUTDOWN_TIMEOUT ?? '15',
    N8N_RUNNERS_TASK_TIMEOUT: env.N8N_RUNNERS_TASK_TIMEOUT ?? '60',
    ...config['env-overrides'],
    N8N_RUNNERS_TASK_BROKER_URI: broker,
    N8N_RUNNERS_HEALTH_CHECK_SERVER_ENABLED: 'true',
    N8N_RUNNERS_HEALTH_CHECK_SERVER_PORT: config['health-check-server-port'],
    N8N_RUNNERS_GRANT_TOKEN: token,
  };
}

async function run() {
  await brokerIsReady();
  if (!(await taskWaits(await grantToken()))) return sleep(RETRY_MS);
  const runner = spawn(config.command, config.args, {
    cwd: config.workdir,
    env: runnerEnv(await grantToken()),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = await new Promise((resolve) =>
    runner.on('exit', (...ended) => resolve(ended)),
  );
  console.log(`runner ended with ${signal ?? `code ${code}`}`);
}

createServer((_, reply) => reply.end('{"status":"ok"}')).listen(
  Number(env.N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT ?? 5680),
);
(async () => {
  for (;;) {
    await run().catch(async (error) => {
      console.error(error.message);
      await sleep(RETRY_MS);
    });
  }
})();
