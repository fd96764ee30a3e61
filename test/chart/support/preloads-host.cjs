// Loads modules of n8n in the order given, as {manifest, own, order}, and writes what the preload scripts did to each.
const { existsSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');

const { manifest, own, order } = JSON.parse(readFileSync(0, 'utf8'));
const load = createRequire(manifest);
// The package of n8n 1.x has no folder dist.
const typeorm = ['@n8n/typeorm/dist', '@n8n/typeorm']
  .map((folder) => join(dirname(dirname(manifest)), folder))
  .find((folder) => existsSync(folder));

/** What each is loaded as, and whether it then is ours. */
const modules = {
  bull: () => String(load('bull').prototype.process).includes('guard('),
  'prom-client': () =>
    load('prom-client').register.getSingleMetric('n8n_tuned_heap_limit_bytes') !== undefined,
  PostgresDriver: () => {
    const { PostgresDriver } = load(`${typeorm}/driver/postgres/PostgresDriver.js`);
    return String(PostgresDriver.prototype.obtainMasterConnection).includes('set.has(connection)');
  },
  EntityManager: () => {
    const { EntityManager } = load(`${typeorm}/entity-manager/EntityManager.js`);
    return String(EntityManager.prototype.findOne).includes('asksForId');
  },
  // Not n8n's, which take seconds to load: keep-stalled then says that it leaves them as they are. They are in `own`.
  'workflow-runner': () => load(join(own, 'workflow-runner.js')).WorkflowRunner !== undefined,
  'job-processor': () => load(join(own, 'job-processor.js')).JobProcessor !== undefined,
  sqlite3: () => {
    const sqlite3 = load('sqlite3');
    return sqlite3.verbose() === sqlite3 && !String(sqlite3.verbose).includes('trace');
  },
};

console.log(JSON.stringify(Object.fromEntries(order.map((name) => [name, modules[name]()]))));
