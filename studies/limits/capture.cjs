// Before n8n (node --require): writes every statement for PostgreSQL to CAPTURED_STATEMENTS, a JSON line each. With
// CAPTURED_FRAMES, the number of stack frames to look at, also which process and which function of n8n sent it.
const { appendFileSync } = require('node:fs');
const Module = require('node:module');

const file = process.env.CAPTURED_STATEMENTS;
const load = Module._load;
const frames = Number(process.env.CAPTURED_FRAMES ?? 0);
const isWrapped = new WeakSet();

if (frames > 0) Error.stackTraceLimit = frames;

Module._load = function (request, ...rest) {
  const loaded = Reflect.apply(load, this, [request, ...rest]);
  if (request === 'pg' && loaded.Client && !isWrapped.has(loaded.Client)) wrap(loaded.Client);
  return loaded;
};

function wrap(Client) {
  isWrapped.add(Client);
  const { query } = Client.prototype;
  Client.prototype.query = function (first, values, ...rest) {
    const text = typeof first === 'string' ? first : first?.text;
    const given = typeof first === 'string' ? values : (first?.values ?? values);
    const line = {
      ...{ atMs: Date.now(), text, values: Array.isArray(given) ? given : [] },
      ...(frames > 0 ? { role: process.argv[2], stack: new Error().stack } : {}),
    };
    if (typeof text === 'string') appendFileSync(file, `${JSON.stringify(line)}\n`);
    return Reflect.apply(query, this, [first, values, ...rest]);
  };
}
