// Secrets that come into the values of a running release and leave them again.
import { readCredential, Release, storeCredential } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_800_000);

const GIVEN_KEY = 'a-key-of-the-operators-own';

let n8n: Release;
beforeEach(async () => {
  n8n = await Release.inNewNamespace('chart-secrets');
});
afterEach(() => n8n.remove());

/** A Secret's entry in clear, empty where there is none. */
async function secret(name: string, key: string): Promise<string> {
  const text = await n8n.space.kubectl(
    ...['get', 'secrets', '--ignore-not-found', name],
    ...['-o', `jsonpath={.data.${key}}`],
  );
  return Buffer.from(text, 'base64').toString();
}

test('a key that was made can be given, and a given one can leave the values', async () => {
  await n8n.deploy({});
  await storeCredential(n8n);
  const stored = await readCredential(n8n);
  const made = await secret('n8n-encryption-key', 'encryption-key');
  expect(made).toMatch(/^[0-9a-f]{48}$/);

  await n8n.deploy({ encryptionKey: { value: made } });
  expect(await secret('n8n-given-encryption-key', 'encryption-key')).toBe(made);
  expect(await readCredential(n8n)).toEqual(stored);

  await n8n.deploy({});
  expect(await secret('n8n-encryption-key', 'encryption-key')).toBe(made);
  expect(await readCredential(n8n)).toEqual(stored);
  seen('the encryption key, made, given and made', { credentialReadable: true });
});

test('the job takes over a key that was given first', async () => {
  await n8n.deploy({ encryptionKey: { value: GIVEN_KEY } });
  await storeCredential(n8n);
  const stored = await readCredential(n8n);
  expect(await secret('n8n-encryption-key', 'encryption-key')).toBe('');

  await n8n.deploy({});
  expect(await secret('n8n-encryption-key', 'encryption-key')).toBe(GIVEN_KEY);
  expect(await readCredential(n8n)).toEqual(stored);
  seen('the encryption key, given and then made', { credentialReadable: true });
});

test('passwords of own and other stores come and go without taking one another', async () => {
  const own = {
    encryptionKey: { value: GIVEN_KEY },
    executions: { mode: 'queue' },
    database: { type: 'postgresql' },
  };
  const others = {
    ...own,
    database: { type: 'postgresql', external: { host: 'n8n-postgresql', password: 'p' } },
    redis: { external: { host: 'n8n-redis', password: 'r' } },
  };
  // What helm does with Secrets is what counts here: no pod is waited for.
  const upgrade = (values: object): Promise<string> => n8n.deploy(values, 3, false);
  const all = (): Promise<string[]> =>
    Promise.all(
      ['n8n-postgresql', 'n8n-redis', 'n8n-given-postgresql', 'n8n-given-redis'].map((name) =>
        secret(name, 'password'),
      ),
    );
  await upgrade(own);
  const [database, redis, ...none] = await all();
  expect(none).toEqual(['', '']);
  await upgrade(others);
  expect(await all()).toEqual([database, redis, 'p', 'r']);
  await upgrade(own);
  expect(await all()).toEqual([database, redis, '', '']);
  seen('passwords, made, given and made', { madeOnesKept: true });
});
