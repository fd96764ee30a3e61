// Secrets in the values of a release: on no screen, in no file that the command leaves and in no argument of a process of
// this machine, whether the command deploys it or finds it there.
import fc from 'fast-check';
import { buildCli } from '../support/cli';
import { n8nTuned, ourNamespaces, resultsFolder } from '../support/cluster-command';
import { filesBeneath, leaksOf, openFiles, processesUntil } from '../support/leaks';
import { Release, SMALL_EVERYWHERE } from '../support/release';
import { secrets } from '../support/secret';
import { seen } from '../support/seen';

jest.setTimeout(1_800_000);

let out: ReturnType<typeof resultsFolder>;
let n8n: Release | undefined;
beforeAll(buildCli);
beforeEach(() => {
  out = resultsFolder();
});
afterEach(async () => {
  out.remove();
  await n8n?.remove();
  n8n = undefined;
});

const LOAD = ['--warmup', '0s', '--rate', '5', '--duration', '5s', '--ready', '300s'];

/** Values with a secret in each place where an operator writes one; the last of `given` is for a header. */
function planted(): { values: object; given: string[] } {
  const given = fc.sample(secrets, 5);
  const [key = '', smtp = '', pwd = '', otel = ''] = given;
  const values = {
    encryptionKey: { value: key },
    env: { N8N_SMTP_PASS: smtp, OTEL_EXPORTER_OTLP_HEADERS: `authorization=Basic ${otel}` },
    main: { env: { LEDGER_PG_PWD: pwd } },
  };
  return { values, given };
}

/** The record is there, and no secret is in what the command has left or shown. */
async function keepsToItself(given: readonly string[], ...words: string[]): Promise<void> {
  const results = `${out.path}/results`;
  const header = ['--header', `X-Api-Key: ${given.at(-1) ?? ''}`];
  const order = ['run', '--target', 'kubernetes', '--workload', 'last-node', ...words, ...LOAD];
  const ended = n8nTuned(...order, ...header, '--out', results);
  const { commands } = await processesUntil(ended, process.pid);
  const { stdout, stderr } = await ended;
  const files = filesBeneath(results);
  expect([files.filter((file) => file.endsWith('run.json')).length, stderr]).toEqual([
    1,
    expect.anything(),
  ]);
  expect(leaksOf({ screen: stdout + stderr, files, commands }, given)).toEqual([]);
  expect(openFiles(files)).toEqual([]);
}

test('a run that deploys a values file keeps its secrets to itself', async () => {
  const { values, given } = planted();
  const text = JSON.stringify({
    ...SMALL_EVERYWHERE,
    ...values,
    main: { ...SMALL_EVERYWHERE.main, env: { LEDGER_PG_PWD: given[2] } },
  });
  await keepsToItself(given, '--values', out.written('values.yaml', text));
  expect(await ourNamespaces()).toBe('');
  seen('secrets of a values file, after a run that deploys it', { leaks: 0 });
});

test('a run on a release that is there keeps the secrets of its values to itself', async () => {
  const { values, given } = planted();
  n8n = await Release.inNewNamespace('command-secrets');
  await n8n.deploy({ ...values, loadTargets: { enabled: true } });
  await n8n.expectedResponse(`${await n8n.serviceUrl()}/webhook/load-last-node`);
  await keepsToItself(given, '--existing', '--namespace', n8n.space.name, '--release', n8n.name);
  seen('secrets of a release that is there, after a run on it', { leaks: 0 });
});
