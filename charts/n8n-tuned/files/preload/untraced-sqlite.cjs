// n8n opens SQLite in its driver's verbose mode: every statement then makes a stack trace and a text of its parameters, for
// an error that hardly ever comes. Loaded before n8n (node --require), this leaves that mode off and changes nothing else.
const Module = require('node:module');

function install() {
  const load = Module._load;
  Module._load = function (request, ...rest) {
    const loaded = load.call(this, request, ...rest);
    if (request === 'sqlite3') loaded.verbose = () => loaded;
    return loaded;
  };
}

if (!process.env.N8N_TUNED_WITHOUT?.split(',').includes('untraced-sqlite')) install();
