// n8n opens SQLite in its driver's verbose mode: every statement then makes a stack trace and a text of its parameters, for
// an error that hardly ever comes. Loaded before n8n (node --require), this leaves that mode off and changes nothing else.
const { onLoad, patch, setState } = require('./in-force.cjs');

const NAME = 'untraced-sqlite';
const find = (loaded) => (typeof loaded?.verbose === 'function' ? loaded : undefined);

patch(NAME, [NAME], () =>
  onLoad(/^sqlite3$/, find, (sqlite3) => {
    sqlite3.verbose = () => sqlite3;
    setState(NAME, 'known');
  }),
);
