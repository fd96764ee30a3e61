// n8n speaks to no Redis Sentinel. This runs beside it: asks the Sentinels where the master is and passes connections on
// to it. When another one becomes master, the connections to the old one end, and n8n, which tries again by itself,
// arrives at the new one. With TLS, it is spoken from here on: n8n and this share a pod.
const net = require('node:net');
const { setTimeout } = require('node:timers');
const tls = require('node:tls');

const { SENTINELS, MASTER, SENTINEL_PASSWORD, TLS, TLS_SERVER_NAME } = process.env;
const LISTEN_PORT = Number(process.env.LISTEN_PORT);
const ASK_EVERY_MS = 1000;
const ANSWER_MS = 2000;

let sentinels = SENTINELS.split(',').map((address) => {
  const colon = address.lastIndexOf(':');
  return {
    host: address.slice(0, colon).replace(/^\[|\]$/g, ''),
    port: Number(address.slice(colon + 1)),
  };
});
let master = null;
const open = new Set();

const name = ({ host, port }) => `${host}:${port}`;
const command = (...words) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;

function connect({ host, port }) {
  const socket =
    TLS === 'true'
      ? tls.connect({
          host,
          port,
          servername: TLS_SERVER_NAME || (net.isIP(host) ? undefined : host),
        })
      : net.connect({ host, port });
  return socket.setNoDelay(true).setKeepAlive(true, 5000);
}

/** Asks one Sentinel for the address of the master. */
function ask(sentinel) {
  return new Promise((resolve, reject) => {
    const socket = connect(sentinel);
    const fail = (why) => {
      socket.destroy();
      reject(new Error(`Sentinel ${name(sentinel)}: ${why}`));
    };
    let text = '';
    socket.setTimeout(ANSWER_MS, () => fail(`no answer in ${ANSWER_MS / 1000} s`));
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => fail('it closed the connection'));
    socket.on('data', (chunk) => {
      text += chunk;
      const refused = /^-(.*)\r\n/m.exec(text);
      const found = /\*2\r\n\$\d+\r\n(.*)\r\n\$\d+\r\n(\d+)\r\n/.exec(text);
      if (refused) fail(refused[1]);
      else if (/\*-1\r\n/.test(text)) fail(`it knows no master of the name ${MASTER}`);
      else if (found) {
        resolve({ host: found[1], port: Number(found[2]) });
        socket.destroy();
      }
    });
    const login = SENTINEL_PASSWORD ? command('AUTH', SENTINEL_PASSWORD) : '';
    socket.write(login + command('SENTINEL', 'get-master-addr-by-name', MASTER));
  });
}

/** The first Sentinel that answers is right, and asked first from then on. */
async function lookUp() {
  const silent = [];
  for (const sentinel of sentinels) {
    try {
      const found = await ask(sentinel);
      sentinels = [sentinel, ...sentinels.filter((other) => other !== sentinel)];
      return found;
    } catch (error) {
      silent.push(error.message);
    }
  }
  throw new Error(silent.join('; '));
}

let complaint = '';
async function follow() {
  try {
    const found = await lookUp();
    complaint = '';
    if (master === null || name(found) !== name(master)) {
      console.log(
        `the master is ${name(found)}${master === null ? '' : `, no longer ${name(master)}`}`,
      );
      master = found;
      for (const socket of open) socket.destroy();
    }
  } catch (error) {
    // Without a Sentinel the last known master is as good as any.
    if (error.message !== complaint) console.error(error.message);
    complaint = error.message;
  }
  setTimeout(follow, ASK_EVERY_MS);
}

const server = net.createServer((fromN8n) => {
  if (master === null) return fromN8n.destroy();
  const toRedis = connect(master);
  fromN8n.setNoDelay(true);
  open.add(fromN8n);
  const end = () => {
    open.delete(fromN8n);
    fromN8n.destroy();
    toRedis.destroy();
  };
  for (const socket of [fromN8n, toRedis]) socket.on('error', end).on('close', end);
  fromN8n.pipe(toRedis).pipe(fromN8n);
});

// A sidecar is told to end only when n8n, which needs Redis to its last execution, has ended.
process.on('SIGTERM', () => process.exit(0));

// Listening says that there is a master to pass connections on to.
follow().then(function listen() {
  if (master === null) setTimeout(listen, 100);
  else server.listen(LISTEN_PORT, '127.0.0.1');
});
