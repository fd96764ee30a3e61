import fc from 'fast-check';
import {
  isMasked,
  topologyWithoutSecrets,
  withoutSecrets,
} from '../../../capacity/src/plan/secrets';
import { topologySchema } from '../../../capacity/src/plan/topology';

test.each([
  ["a password by n8n's short name", 'N8N_SMTP_PASS=s3cret', 'N8N_SMTP_PASS=***'],
  ['one within an address', 'HTTP_PROXY=http://me:s3cret@proxy', 'HTTP_PROXY=http://***@proxy'],
  [
    'but not a setting',
    'N8N_EXECUTIONS_QUEUE_KEEP_LAST_FAILED=5',
    'N8N_EXECUTIONS_QUEUE_KEEP_LAST_FAILED=5',
  ],
])('an environment variable is recorded without %s', (_, given, recorded) => {
  expect(withoutSecrets(['--env', given])).toEqual(['--env', recorded]);
});

test('of a body nothing is recorded but the name of its file', () => {
  const words = ['--body', 'name=ada&password=s3cret', '--body=@order.json'];
  expect(withoutSecrets(words)).toEqual(['--body', '***', '--body=@order.json']);
});

test('the recorded topology keeps the names of secret variables, for all and for each role', () => {
  const env = { DB_POSTGRESDB_PASSWORD: 's3cret', N8N_CONCURRENCY_PRODUCTION_LIMIT: '5' };
  const given = topologySchema.parse({ env, main: { env }, workers: { env }, webhooks: { env } });
  const hidden = { ...env, DB_POSTGRESDB_PASSWORD: '***' };
  expect(topologyWithoutSecrets(given)).toEqual({
    ...given,
    env: hidden,
    main: { ...given.main, env: hidden },
    workers: { ...given.workers, env: hidden },
    webhooks: { ...given.webhooks, env: hidden },
  });
});

const password = fc
  .array(fc.constantFrom(...'abcXYZ089-._~!$&()*+,;=:@%'), { minLength: 4, maxLength: 12 })
  .map((letters) => `pw${letters.join('')}`);
const scheme = fc.constantFrom(
  'redis',
  'rediss',
  'postgres',
  'postgresql',
  'amqp',
  'http',
  'https',
);

test('no password of any URL reaches the record, wherever the URL stands', () => {
  fc.assert(
    fc.property(scheme, fc.constantFrom('', 'me'), password, (kind, user, secret) => {
      const url = `${kind}://${user}:${secret}@store.example:6379/0`;
      const words = ['--url', url, '--env', `QUEUE_URL=${url}`, `--env=QUEUE_URL=${url}`];
      const env = { QUEUE_URL: url };
      const topology = topologyWithoutSecrets(topologySchema.parse({ env, workers: { env } }));
      const recorded = JSON.stringify([withoutSecrets(words), topology]);
      expect(recorded).not.toContain(secret);
      expect(recorded).toContain(`${kind}://***@store.example:6379/0`);
    }),
  );
});

test("a password in a database URL's query or with a slash is hidden too", () => {
  expect(withoutSecrets(['--env', 'DB_URL=postgres://db/n8n?password=s3cret&ssl=1'])).toEqual([
    '--env',
    'DB_URL=postgres://db/n8n?password=***&ssl=1',
  ]);
  expect(withoutSecrets(['--env', 'DB_URL=postgres://me:s3/cret@db/n8n'])).toEqual([
    '--env',
    'DB_URL=postgres://***@db/n8n',
  ]);
});

test('a value that a mask has changed is known as such, and no other is', () => {
  expect(isMasked('***')).toBe(true);
  expect(isMasked('redis://***@store:6379')).toBe(true);
  expect(isMasked('postgres://db/n8n?password=***')).toBe(true);
  expect(isMasked('5')).toBe(false);
  expect(isMasked('0 */5 * * *')).toBe(false);
});
