// The patch of how n8n reads one row: the same rows, with one statement less where the id is given.
import fc from 'fast-check';
import { join } from 'node:path';
import '../../support/properties';
import { withN8n } from '../support/n8n-program';
import { startOwnPostgresql, type OwnPostgresql } from '../support/own-postgresql';
import { script, testOf, withoutKnowledge } from '../support/preload-folder';

const PATCH = script('read-once');
const HOST = join(__dirname, '../support/find-host.cjs');

interface Find {
  entity: string;
  options: object;
}
interface Seen {
  row: unknown;
  statements: number;
}

let server: OwnPostgresql;
beforeAll(async () => {
  server = await startOwnPostgresql();
}, 300_000);
afterAll(() => server.end());

const use = (scripts: string[], finds: readonly Find[]): Promise<{ wrote: Seen[]; said: string }> =>
  withN8n<Seen[]>(HOST, scripts, {
    ...{ port: server.port, password: server.password, finds },
  });

const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(parts: T) =>
  fc.record(parts, { requiredKeys: [] });
const bookId = fc.constantFrom('b0', 'b1', 'b2', 'b4', 'b5', 'absent', { in: ['b4', 'b2'] });
const title = fc.constantFrom('t0', 't1', { in: ['t1', 't2'] });
const book = fc
  .tuple(fc.record({ id: bookId }), optional({ title, author: fc.constant({ name: 'a1' }) }))
  .map(([id, more]) => ({ ...id, ...more }));
const loan = optional({ bookId, day: fc.integer({ min: 0, max: 2 }) });
const author = optional({ id: fc.integer({ min: 0, max: 3 }), name: fc.constant('a1') });

/** With these the first statement does more than to find an id. */
const rare = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: optional({ order: fc.constant({ id: 'DESC' }), skip: fc.nat(1) }) },
);
const find = (
  entity: string,
  where: fc.Arbitrary<object>,
  relations: readonly object[],
): fc.Arbitrary<Find> =>
  fc
    .tuple(
      fc.oneof({ weight: 4, arbitrary: where }, fc.array(where, { minLength: 1, maxLength: 2 })),
      optional({ relations: fc.constantFrom(...relations), withDeleted: fc.boolean() }),
      entity === 'Loan' ? fc.constant({}) : rare,
    )
    .map(([conditions, common, more]) => ({
      entity,
      options: { where: conditions, ...common, ...more },
    }));
const finds = fc.oneof(
  find('Book', book, [{ author: true }, { loans: true }, { author: { books: true }, loans: true }]),
  find('Loan', loan, [{ book: true }, { book: { author: true } }]),
  find('Author', author, [{ books: true }, { books: { loans: true } }]),
);

/** Without an order, a database may give what is joined in any. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, sorted(one)]));
}

/** Any of several rows may be the one that is found: of these only whether there is one can be compared. */
const isOneRow = ({ entity, options }: Find): boolean => {
  const where = (options as { where: Record<string, unknown> }).where;
  const ids = entity === 'Loan' ? ['bookId', 'day'] : ['id'];
  return (
    !Array.isArray(where) && ids.every((id) => ['string', 'number'].includes(typeof where[id]))
  );
};

testOf('read-once')('every find gives the same row, and never takes more statements', async () => {
  const all = fc.sample(finds, 400);
  const plain = await use([], all);
  const patched = await use([PATCH], all);
  expect(patched.said).toBe('');
  expect(patched.wrote).toHaveLength(all.length);
  let spared = 0;
  for (const [index, one] of all.entries()) {
    const [before, after] = [plain.wrote[index], patched.wrote[index]];
    if (isOneRow(one)) expect([one, sorted(after?.row)]).toEqual([one, sorted(before?.row)]);
    else expect([one, typeof after?.row]).toEqual([one, typeof before?.row]);
    expect(after?.statements).toBeLessThanOrEqual(before?.statements ?? 0);
    if ((after?.statements ?? 0) < (before?.statements ?? 0)) spared += 1;
  }
  expect(spared).toBeGreaterThan(50);
});

const BY_ID = { entity: 'Book', options: { where: { id: 'b2' }, relations: { loans: true } } };

testOf('read-once')(
  'a row whose id is given takes one statement, a row that has to be found first takes two',
  async () => {
    const other = { ...BY_ID, options: { ...BY_ID.options, where: { title: 't0' } } };
    const { wrote } = await use([PATCH], [BY_ID, other]);
    expect(wrote.map(({ statements }) => statements)).toEqual([1, 2]);
    expect(wrote[0]?.row).toMatchObject({ id: 'b2', loans: [{ day: 0 }, { day: 1 }] });
  },
);

testOf('read-once')('the script says what it does not know and changes nothing', async () => {
  const other = script('read-once', withoutKnowledge());
  const { wrote, said } = await use([other], [BY_ID]);
  expect(wrote[0]?.statements).toBe(2);
  expect(said).toMatch(/^n8n-tuned: read-once: .* left as it is\n$/);
});
