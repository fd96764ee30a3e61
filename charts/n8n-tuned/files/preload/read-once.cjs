// To read a row together with what is joined to it, n8n's TypeORM first selects its id, also where n8n gives the id: three
// times in an execution in queue mode. Loaded before n8n (node --require), this leaves that statement out where the id is
// given, since no second row can have it. docs/chart/patches.md
const { createHash } = require('node:crypto');
const Module = require('node:module');

// The sha256 of EntityManager.findOne as n8n 1.29.1 to 2.41.3 have it (@n8n/typeorm 0.3.20-2 to 0.11.0).
const KNOWN = '78708a0653f5cbfbe592c8a5ae625966e46b76e1a0a2f7c33f9c0676370d786c';
/** With others, such as an order, a lock or a cache, the first statement does more than to find the id. */
const OPTIONS = new Set(['where', 'relations', 'select', 'withDeleted']);
const IDS = new Set(['string', 'number']);
/** An array of conditions means any of them. */
const isObject = (value) => Object.getPrototypeOf(value ?? 0) === Object.prototype;
const asksForId = (options, { primaryColumns }) =>
  isObject(options) &&
  Object.keys(options).every((name) => OPTIONS.has(name)) &&
  isObject(options.where) &&
  primaryColumns.every(({ propertyPath }) => IDS.has(typeof options.where[propertyPath]));

function patch({ prototype }) {
  const { findOne } = prototype;
  if (createHash('sha256').update(String(findOne)).digest('hex') !== KNOWN) {
    console.error('n8n-tuned: read-once: this n8n reads rows in an unknown way, left as it is');
    return;
  }
  prototype.findOne = async function (entity, options) {
    const metadata = this.connection.getMetadata(entity);
    if (!asksForId(options, metadata)) return findOne.call(this, entity, options);
    return this.createQueryBuilder(entity, metadata.name).setFindOptions(options).getOne();
  };
}

function install() {
  const load = Module._load;
  let isDone = false;
  Module._load = function (request, ...rest) {
    const loaded = load.call(this, request, ...rest);
    if (!isDone && /[\\/]EntityManager(?:\.js)?$/.test(request) && loaded.EntityManager) {
      isDone = true;
      patch(loaded.EntityManager);
    }
    return loaded;
  };
}

if (!process.env.N8N_TUNED_WITHOUT?.split(',').includes('read-once')) install();
