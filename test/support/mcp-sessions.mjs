// Sessions of MCP over SSE, one after the other, as a client begins them: it opens the stream, learns where to send
// messages, and sends `initialize` and `tools/list`, each over a connection of its own. Prints what became of them.
//   node mcp-sessions.mjs COUNT HOST STREAM_URL [MESSAGES_BASE_URL]
// With MESSAGES_BASE_URL, messages go to that address instead: another pod than the one that has the stream.
import http from 'node:http';

const PATIENCE_MS = 20_000;
const [count = '1', host = '', streamUrl = '', messagesBase = streamUrl] = process.argv.slice(2);

const seen = { sessions: 0, complete: 0, statuses: {}, tools: [] };
for (let session = 0; session < Number(count); session += 1) {
  seen.sessions += 1;
  await one().catch((error) => tally(error.message));
}
console.log(JSON.stringify(seen));

function tally(what) {
  seen.statuses[what] = (seen.statuses[what] ?? 0) + 1;
}

async function one() {
  const stream = await open();
  try {
    const endpoint = await stream.next('endpoint');
    const initialize = {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    if ((await send(endpoint, { id: 1, method: 'initialize', params: initialize })) !== 202) return;
    await stream.next('message');
    if ((await send(endpoint, { id: 2, method: 'tools/list', params: {} })) !== 202) return;
    const { result } = JSON.parse(await stream.next('message'));
    seen.tools = result.tools.map(({ name }) => name);
    seen.complete += 1;
  } finally {
    stream.end();
  }
}

/** The events of a stream in order. */
function open() {
  return new Promise((resolve, reject) => {
    const asked = http.get(
      streamUrl,
      { agent: false, headers: { host, accept: 'text/event-stream' } },
      (reply) => {
        if (reply.statusCode !== 200) {
          asked.destroy();
          reject(new Error(`stream ${reply.statusCode}`));
          return;
        }
        let text = '';
        reply.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        reply.on('error', () => undefined);
        resolve({ next: (name) => awaited(name), end: () => asked.destroy() });
        async function awaited(name) {
          const begun = Date.now();
          while (Date.now() - begun < PATIENCE_MS) {
            const found = /event: (\S+)\r?\ndata: (.*)\r?\n\r?\n/.exec(text);
            if (found !== null) {
              text = text.slice(found.index + found[0].length);
              if (found[1] === name) return found[2].trim();
            }
            await new Promise((later) => setTimeout(later, 20));
          }
          throw new Error(`no ${name}`);
        }
      },
    );
    asked.on('error', reject);
    asked.setTimeout(PATIENCE_MS, () => asked.destroy(new Error('stream timed out')));
  });
}

function send(endpoint, message) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return new Promise((resolve, reject) => {
    const asked = http.request(
      new URL(endpoint, messagesBase),
      { method: 'POST', agent: false, headers: { host, 'content-type': 'application/json' } },
      (reply) => {
        reply.resume();
        reply.on('end', () => {
          tally(String(reply.statusCode));
          resolve(reply.statusCode);
        });
      },
    );
    asked.on('error', reject);
    asked.setTimeout(PATIENCE_MS, () => asked.destroy(new Error('message timed out')));
    asked.end(body);
  });
}
