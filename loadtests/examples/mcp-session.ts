/**
 * Sessions of MCP with a workflow that begins with an MCP Server Trigger: each session is opened, lists the tools, calls
 * one of them, and is closed. n8n keeps one that is not closed for 15 minutes.
 *
 *   k6 run -e BASE_URL=http://127.0.0.1:5678 -e MCP=/mcp/path -e TOOL=Calculator \
 *     -e ARGUMENTS='{"input":"2+2"}' mcp-session.ts
 */
import { check } from 'k6';
import http, { type RefinedResponse } from 'k6/http';
import { Trend } from 'k6/metrics';
import type { Options } from 'k6/options';

const URL = `${__ENV.BASE_URL || 'http://127.0.0.1:5678'}${__ENV.MCP || '/mcp/tools'}`;
const TOOL = __ENV.TOOL || 'Calculator';
const ARGUMENTS = JSON.parse(__ENV.ARGUMENTS || '{"input":"2+2"}') as object;
const CALLS = Number(__ENV.CALLS || 5);

const called = new Trend('mcp_call_duration', true);

export const options: Options = {
  scenarios: {
    sessions: {
      executor: 'constant-vus',
      vus: Number(__ENV.CLIENTS || 4),
      duration: __ENV.DURATION || '1m',
    },
  },
  thresholds: {
    checks: ['rate>0.99'],
    mcp_call_duration: [`p(95)<${__ENV.P95_MS || '1000'}`],
  },
};

interface Message {
  result?: { tools?: { name: string }[]; isError?: boolean };
  error?: unknown;
}

/** Both types must be accepted, or n8n responds with 406. */
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

function send(session: string, message: object): RefinedResponse<'text'> {
  return http.post(URL, JSON.stringify({ jsonrpc: '2.0', ...message }), {
    headers: session === '' ? HEADERS : { ...HEADERS, 'mcp-session-id': session },
    tags: { name: 'mcp' },
    responseType: 'text',
  });
}

/** The response is one event: a line `data: {...}`. */
function messageIn(response: RefinedResponse<'text'>): Message {
  const [, data = '{}'] = /^data: (.*)$/m.exec(response.body) ?? [];
  return JSON.parse(data) as Message;
}

export default function () {
  const opened = send('', {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'k6', version: '1' },
    },
  });
  const session = opened.headers['Mcp-Session-Id'] ?? '';
  if (!check(opened, { 'the session is open': () => session !== '' })) return;
  send(session, { method: 'notifications/initialized' });
  const tools = messageIn(send(session, { id: 2, method: 'tools/list' })).result?.tools ?? [];
  check(tools, { 'the tool is there': () => tools.some(({ name }) => name === TOOL) });
  for (let call = 0; call < CALLS; call += 1) {
    const response = send(session, {
      id: 3 + call,
      method: 'tools/call',
      params: { name: TOOL, arguments: ARGUMENTS },
    });
    called.add(response.timings.duration);
    // A tool that fails responds with 200 as well.
    const { result, error } = messageIn(response);
    check(response, {
      'the tool was called': () => error === undefined && result?.isError !== true && !!result,
    });
  }
  http.del(URL, null, { headers: { 'mcp-session-id': session }, tags: { name: 'mcp' } });
}
