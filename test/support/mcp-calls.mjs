// Calls of MCP over HTTP, each over a connection of its own, so that each may reach another pod. Prints what became of them.
//   node mcp-calls.mjs SESSIONS CALLS_EACH HOST URL
import http from 'node:http';

const PATIENCE_MS = 60_000;
const [sessions = '1', calls = '1', host = '', url = ''] = process.argv.slice(2);

const seen = { sessions: 0, calls: 0, right: 0, said: {} };
for (let session = 0; session < Number(sessions); session += 1) {
  seen.sessions += 1;
  await one().catch((error) => tally(error.message));
}
console.log(JSON.stringify(seen));

function tally(what) {
  seen.said[what] = (seen.said[what] ?? 0) + 1;
}

async function one() {
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
  const { headers } = await send({ id: 0, method: 'initialize', params });
  const session = headers['mcp-session-id'];
  if (session === undefined) throw new Error('no session');
  await send({ method: 'notifications/initialized' }, session);
  const { message } = await send({ id: 1, method: 'tools/list', params: {} }, session);
  const [tool] = message?.result?.tools ?? [];
  if (tool === undefined) throw new Error('no tools');
  for (let call = 1; call <= Number(calls); call += 1) {
    seen.calls += 1;
    const input = { name: tool.name, arguments: { input: `${call} * 7` } };
    const reply = await send({ id: call + 1, method: 'tools/call', params: input }, session);
    if (JSON.stringify(reply.message?.result ?? '').includes(String(call * 7))) seen.right += 1;
    else tally(`${reply.status} ${JSON.stringify(reply.message ?? reply.text).slice(0, 200)}`);
  }
}

function send(message, session) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return new Promise((resolve, reject) => {
    const asked = http.request(
      url,
      {
        ...{ method: 'POST', agent: false },
        headers: {
          ...{ host, 'content-type': 'application/json' },
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
      },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        reply.on('end', () => {
          const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
          let parsed;
          try {
            parsed = JSON.parse(data);
          } catch {
            // What is no message stays text.
          }
          const { statusCode: status, headers } = reply;
          resolve({ status, headers, text, message: parsed });
        });
      },
    );
    asked.on('error', reject);
    asked.setTimeout(PATIENCE_MS, () => asked.destroy(new Error('message timed out')));
    asked.end(body);
  });
}
