// Reads rows from PostgreSQL through n8n's TypeORM as it is told, and writes what came of each and with which statements.
// Reads {port, password, finds: [{entity, options}]}.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');

const manifest = process.argv[2];
const typeorm = join(dirname(dirname(manifest)), '@n8n/typeorm/package.json');
const { DataSource, EntitySchema, In } = createRequire(typeorm)('@n8n/typeorm');
const given = JSON.parse(readFileSync(0, 'utf8'));

const joined = (type, target, inverseSide) => ({ type, target, inverseSide });
const author = new EntitySchema({
  name: 'Author',
  columns: { id: { type: 'int', primary: true }, name: { type: 'varchar' } },
  relations: { books: joined('one-to-many', 'Book', 'author') },
});
const book = new EntitySchema({
  name: 'Book',
  columns: {
    id: { type: 'varchar', primary: true },
    title: { type: 'varchar', nullable: true },
    deletedAt: { type: 'timestamp', deleteDate: true, nullable: true },
  },
  relations: {
    author: { ...joined('many-to-one', 'Author', 'books'), joinColumn: true },
    loans: joined('one-to-many', 'Loan', 'book'),
  },
});
const loan = new EntitySchema({
  name: 'Loan',
  columns: {
    bookId: { type: 'varchar', primary: true },
    day: { type: 'int', primary: true },
    to: { type: 'varchar' },
  },
  relations: {
    book: { ...joined('many-to-one', 'Book', 'loans'), joinColumn: { name: 'bookId' } },
  },
});

const sent = [];
const logger = { logQuery: (text) => sent.push(text) };
for (const name of ['QueryError', 'QuerySlow', 'SchemaBuild', 'Migration', '']) {
  logger[`log${name}`] = () => undefined;
}

async function fill(source) {
  await source.synchronize(true);
  for (const id of [1, 2, 3])
    await source.getRepository('Author').insert({ id, name: `a${id % 2}` });
  for (let n = 0; n < 6; n += 1) {
    const deletedAt = n === 5 ? new Date(0) : null;
    const one = { id: `b${n}`, title: n === 3 ? null : `t${n % 2}`, author: { id: 1 + (n % 2) } };
    await source.getRepository('Book').insert({ ...one, deletedAt });
    for (let day = 0; day < n % 3; day += 1) {
      await source.getRepository('Loan').insert({ bookId: `b${n}`, day, to: `r${day}` });
    }
  }
}

/** `{in: [...]}` stands for an operator of TypeORM. */
const withOperators = (value) => {
  if (Array.isArray(value)) return value.map(withOperators);
  if (value === null || typeof value !== 'object') return value;
  if ('in' in value) return In(value.in);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withOperators(one)]));
};

async function main() {
  const source = new DataSource({
    ...{ type: 'postgres', host: '127.0.0.1', port: given.port, database: 'n8n' },
    ...{ username: 'n8n', password: given.password },
    ...{ entities: [author, book, loan], logging: true, logger },
  });
  await source.initialize();
  await fill(source);
  const seen = [];
  for (const { entity, options } of given.finds) {
    const asked = { ...options, where: withOperators(options.where) };
    sent.length = 0;
    const row = await source
      .getRepository(entity)
      .findOne(asked)
      .catch(({ message }) => message);
    seen.push({ row, statements: sent.filter((text) => text.startsWith('SELECT')).length });
  }
  process.stdout.write(JSON.stringify(seen));
  await source.destroy();
}

void main();
