// Before n8n (node --require): writes every statement for PostgreSQL to CAPTURED_STATEMENTS, a JSON line each.
const { appendFileSync } = require('node:fs');
const Module = require('node:module');

const file = process.env.CAPTURED_STATEMENTS;
const load = Module._load;
const isWrapped = new WeakSet();

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
    const line = { atMs: Date.now(), text, values: Array.isArray(given) ? given : [] };
    if (typeof text === 'string') appendFileSync(file, `${JSON.stringify(line)}\n`);
    return Reflect.apply(query, this, [first, values, ...rest]);
  };
}
