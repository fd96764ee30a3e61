// Loads modules of n8n in the order given, as {manifest, runner, order}, and writes what the preload scripts did to each.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');

const { manifest, runner, order } = JSON.parse(readFileSync(0, 'utf8'));
const load = createRequire(manifest);
const typeorm = join(dirname(dirname(manifest)), '@n8n/typeorm');

/** What each is loaded as, and whether it then is ours. */
const modules = {
  bull: () => String(load('bull').prototype.process).includes('guard('),
  'prom-client': () =>
    load('prom-client').register.getSingleMetric('n8n_tuned_heap_limit_bytes') !== undefined,
  PostgresDriver: () => {
    const { PostgresDriver } = load(`${typeorm}/dist/driver/postgres/PostgresDriver.js`);
    return String(PostgresDriver.prototype.obtainMasterConnection).includes('set.has(connection)');
  },
  EntityManager: () => {
    const { EntityManager } = load(`${typeorm}/dist/entity-manager/EntityManager.js`);
    return String(EntityManager.prototype.findOne).includes('asksForId');
  },
  // Not n8n's, which takes seconds to load: keep-stalled then says that it leaves it as it is.
  'workflow-runner': () => load(runner).WorkflowRunner !== undefined,
  sqlite3: () => {
    const sqlite3 = load('sqlite3');
    return sqlite3.verbose() === sqlite3 && !String(sqlite3.verbose).includes('trace');
  },
};

console.log(JSON.stringify(Object.fromEntries(order.map((name) => [name, modules[name]()]))));
