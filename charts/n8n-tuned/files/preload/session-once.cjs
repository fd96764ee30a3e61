// n8n's TypeORM sends SET search_path and SET statement_timeout each time that it takes a connection to PostgreSQL from its
// pool: two round trips before each query or transaction, 24 of the 50 statements of an execution in queue mode. Both hold
// for the session, and n8n itself only ever overrides them inside a transaction (SET LOCAL). Loaded before n8n (node
// --require), this sends them once per connection. docs/chart/patches.md
const Module = require('node:module');
const { knows, onLoad, patch } = require('./in-force.cjs');

const NAME = 'session-once';

function sendOnce(PostgresDriver) {
  const { obtainMasterConnection } = PostgresDriver.prototype;
  const functions = { 'PostgresDriver.obtainMasterConnection': obtainMasterConnection };
  if (!knows(NAME, NAME, functions, 'this n8n takes connections to PostgreSQL in an unknown way'))
    return;
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

/** TypeORM imports it by its full path from 0.6.0 on (n8n 2.32), and by a relative one before. */
const find = (loaded, request, parent) =>
  DRIVER.test(Module._resolveFilename(request, parent)) ? loaded?.PostgresDriver : undefined;

patch(NAME, [NAME], () => onLoad(/PostgresDriver(\.js)?$/, find, sendOnce));
