import { buildCli, endStartedClis, runCli } from '../../support/cli';
import { RETRY, standInApi, type StandInApi } from './stand-in-api';

/** The command `recover` against an API that says what n8n 2.41 says. */

beforeAll(buildCli);
afterEach(endStartedClis);

const KEY = { N8N_API_KEY: 'a-key' };
let api: StandInApi;
beforeEach(async () => {
  api = await standInApi();
});
afterEach(() => api.end());

/** What was asked for that changes something. */
const changes = (): string[] => api.asked.filter((line) => !line.startsWith('GET '));

const recover = (...more: string[]) =>
  runCli(['recover', '--url', api.url, '--since', '100000h', ...more], KEY);

test('without --retry it only lists, and nothing is lost without a word', async () => {
  const { code, stdout, stderr } = await recover();
  expect([code, changes()]).toEqual([1, []]);
  expect(stderr).toMatch(/execution 1 of Orders: would be retried from Webhook \(attempt 1\)/);
  expect(stdout).toBe('1 lost and due for a retry, 0 left alone; nothing was retried\n');
});

test('with it, each decision is a line', async () => {
  const { code, stdout, stderr } = await recover('--retry');
  expect([code, changes()]).toEqual([0, [`POST ${RETRY}`]]);
  expect(stderr).toMatch(
    /execution 1 of Orders: attempt 1 from Webhook: recovered: by execution 7/,
  );
  expect(stdout).toBe('1 lost and due for a retry, 0 left alone; 1 recovered\n');
});

test('what n8n saves by its own settings can be said, and decides', async () => {
  const none = await recover('--retry', '--save-on-error', 'none');
  expect([none.code, changes()]).toEqual([1, []]);
  expect(none.stderr).toMatch(/EXECUTIONS_DATA_SAVE_ON_ERROR is none\): recovery is impossible/);
  const unsaid = await recover();
  expect(unsaid.stderr).toContain('the n8n settings for saving executions are unknown');
});

test.each([
  { more: ['--save-on-error', 'some'], says: /--save-on-error/ },
  { more: ['--url', 'n8n.example.com'], says: /use a form such as http/ },
  { more: ['--attempts', '0'], says: /--attempts/ },
])('what is written wrong is a sentence: $more', async ({ more, says }) => {
  const { code, stderr } = await runCli(['recover', '--url', api.url, ...more], KEY);
  expect([code, stderr.includes('    at ')]).toEqual([2, false]);
  expect(stderr).toMatch(says);
});

test('without a key it says which scopes it needs', async () => {
  const { code, stderr } = await runCli(['recover', '--url', api.url], { N8N_API_KEY: '' });
  expect(code).toBe(2);
  expect(stderr).toMatch(/set N8N_API_KEY to a key with the scopes workflow:list/);
});

test('an n8n that does not respond is a sentence, and not a success', async () => {
  const { code, stderr } = await runCli(['recover', '--url', 'http://127.0.0.1:9'], KEY);
  expect([code, stderr.includes('    at ')]).toEqual([3, false]);
  expect(stderr).toMatch(/the n8n API at http:\/\/127.0.0.1:9 did not respond/);
});
