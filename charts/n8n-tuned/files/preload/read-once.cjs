// To read a row together with what is joined to it, n8n's TypeORM first selects its id, also where n8n gives the id: three
// times in an execution in queue mode. Loaded before n8n (node --require), this leaves that statement out where the id is
// given, since no second row can have it. docs/chart/patches.md
const { knows, onLoad, patch } = require('./in-force.cjs');

const NAME = 'read-once';
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

function readOnce({ prototype }) {
  const { findOne } = prototype;
  const functions = { 'EntityManager.findOne': findOne };
  if (!knows(NAME, NAME, functions, 'this n8n reads rows in an unknown way')) return;
  prototype.findOne = async function (entity, options) {
    const metadata = this.connection.getMetadata(entity);
    if (!asksForId(options, metadata)) return findOne.call(this, entity, options);
    return this.createQueryBuilder(entity, metadata.name).setFindOptions(options).getOne();
  };
}

patch(NAME, [NAME], () =>
  onLoad(/[\\/]EntityManager(?:\.js)?$/, (loaded) => loaded?.EntityManager, readOnce),
);
