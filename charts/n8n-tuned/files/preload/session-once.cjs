// n8n's TypeORM sends SET search_path and SET statement_timeout each time that it takes a connection to PostgreSQL from its
// pool: two round trips before each query or transaction, 24 of the 50 statements of an execution in queue mode. Both hold
// for the session, and n8n itself only ever overrides them inside a transaction (SET LOCAL). Loaded before n8n (node
// --require), this sends them once per connection. docs/chart/patches.md
const { createHash } = require('node:crypto');
const Module = require('node:module');

// The sha256 of obtainMasterConnection as n8n has it.
const KNOWN = new Set([
  // n8n 2.30.0 to 2.41.3 (@n8n/typeorm 0.4.0 to 0.11.0)
  'f7c7565700210a32d5bf41c36d7d78ba312eeb8c5d119113e3813e8fdf7cfabb',
]);

const say = (what) => process.stderr.write(`n8n-tuned: session-once: ${what}\n`);

function patch(PostgresDriver) {
  const { obtainMasterConnection } = PostgresDriver.prototype;
  const hash = createHash('sha256').update(String(obtainMasterConnection)).digest('hex');
  if (!KNOWN.has(hash)) {
    say('this n8n takes connections to PostgreSQL in another way than those known, left as it is');
    return;
  }
  const set = new WeakSet();

  PostgresDriver.prototype.obtainMasterConnection = async function () {
    const { schema, statementTimeout } = this.options;
    // Behind a pooler that hands sessions around, a schema of one's own would come and go.
    const isUsual = !schema || schema === 'public';
    if (!this.master || !isUsual) return obtainMasterConnection.call(this);
    const connection = await this.master.connect();
    if (!set.has(connection)) {
      try {
        await connection.query('SET search_path TO public');
        if (statementTimeout) await connection.query(`SET statement_timeout = ${statementTimeout}`);
      } catch (error) {
        // n8n leaves it taken for ever; told of the error, the pool closes it.
        connection.release(error);
        throw error;
      }
      set.add(connection);
    }
    return [connection, () => connection.release()];
  };
}

const DRIVER = /[\\/]@n8n[\\/]typeorm[\\/]dist[\\/]driver[\\/]postgres[\\/]PostgresDriver\.js$/;

const isDriver = (request, ...rest) => DRIVER.test(Module._resolveFilename(request, ...rest));

function install() {
  const load = Module._load;
  let isDone = false;
  Module._load = function (request, ...rest) {
    const loaded = load.call(this, request, ...rest);
    // TypeORM imports it by its full path from 0.6.0 on (n8n 2.32), and by a relative one before.
    if (!isDone && /PostgresDriver(\.js)?$/.test(request) && isDriver(request, ...rest)) {
      // It stays: to put back what was before would drop what other scripts have put on top.
      isDone = true;
      patch(loaded.PostgresDriver);
    }
    return loaded;
  };
}

if (!process.env.N8N_TUNED_WITHOUT?.split(',').includes('session-once')) install();
