import { topologySchema } from '../../../capacity/src/plan/topology';
import { topologyWithoutSecrets, withoutSecrets } from '../../../capacity/src/plan/secrets';

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
