// Which statements an execution sends: what is made of those that were captured.
import * as summary from '../../studies/statements/summary';

test.each([
  ['START  TRANSACTION', 'START TRANSACTION'],
  ['SET statement_timeout = 300000', 'SET statement_timeout = 300000'],
  ['SELECT "a"."id" FROM "public"."a" "a" LEFT JOIN "public"."b" "b" ON 1=1', 'SELECT FROM a, b'],
  [
    'SELECT DISTINCT "distinctAlias"."id" FROM (SELECT "a"."id" FROM "public"."a" "a") "distinctAlias" LIMIT 1',
    'SELECT DISTINCT id FROM a',
  ],
  ['UPDATE "public"."a" SET "x" = $1, "y" = CURRENT_TIMESTAMP WHERE "id" = $2', 'UPDATE a: x, y'],
  [
    'INSERT INTO "public"."a"("x") VALUES ($1) ON CONFLICT ("x") DO UPDATE SET "x" = EXCLUDED."x"',
    'INSERT INTO a',
  ],
  ['WITH batch AS (DELETE FROM "a" WHERE 1=1) SELECT 1', 'WITH FROM a'],
])('%s is short', (text, short) => {
  expect(summary.shortOf(text)).toBe(short);
});

const STACK = `Error: 
    at Client.query (/repo/studies/limits/capture.cjs:27:56)
    at PostgresQueryRunner.query (/lab/node_modules/@n8n/typeorm/dist/driver/a.js:184:50)
    at async ExecutionPersistence.create (/lab/node_modules/n8n/src/executions/b.ts:109:12)
    at async /lab/node_modules/.pnpm/n8n-core@2/node_modules/n8n-core/src/c.ts:7:1`;

test('the callers are those of n8n, the innermost first', () => {
  expect(summary.callersOf(STACK)).toEqual([
    'ExecutionPersistence.create (n8n/src/executions/b.ts:109)',
    'n8n-core/src/c.ts:7',
  ]);
});

test('a statement counts for a response when it was sent in its time, and for timers when it is rare', () => {
  const at = (atMs: number, text: string): summary.Captured => ({
    atMs,
    role: 'start',
    text,
    stack: STACK,
  });
  const captured = [at(5, 'COMMIT'), at(10, 'COMMIT'), at(12, 'COMMIT'), at(15, 'SELECT 1')];
  const counted = summary.statementsOf([...captured, at(20, 'COMMIT')], {
    fromMs: 10,
    toMs: 20,
    responses: 4,
  });
  expect(counted.statements).toMatchObject([
    { role: 'main', statement: 'COMMIT', sent: 2, perResponse: 0.5 },
  ]);
  expect(counted.byTimers).toBe(1);
});
