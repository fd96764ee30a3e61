// Secrets on real n8n processes, the user's and those that the command makes: on no screen, in no file that it leaves
// and in no argument of a process.
import fc from 'fast-check';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { templatesFolder } from '../../cli/src/targets/process/tools';
import { filesBeneath, leaksOf, openFiles, textOf, watched, type Said } from '../support/leaks';
import { secrets } from '../support/secret';
import { inFoldersOfItsOwn } from './loading';

jest.setTimeout(480_000);

const place = inFoldersOfItsOwn();
const LAST_NODE = join(repositoryRoot(), 'workflows/last-node.json');
const some = (count: number): string[] => fc.sample(secrets, count);

/** So that n8n gives up on a dead worker's jobs sooner than after a minute. */
const SOON = [
  'QUEUE_WORKER_LOCK_DURATION=8000',
  'QUEUE_WORKER_LOCK_RENEW_TIME=2000',
  'QUEUE_WORKER_STALLED_INTERVAL=3000',
];

/** Made for a run, and given to each process of n8n. */
const MADE = ['DB_POSTGRESDB_PASSWORD', 'QUEUE_BULL_REDIS_PASSWORD', 'N8N_ENCRYPTION_KEY'];

/** Passwords of owners and keys of all databases that are kept, one of which this run has copied. */
const sealed = (): string[] =>
  readdirSync(templatesFolder()).flatMap((name) => {
    const file = join(templatesFolder(), name, 'n8n-tuned.json');
    if (!existsSync(file)) return [];
    const { encryptionKey, owner } = JSON.parse(readFileSync(file, 'utf8')) as {
      encryptionKey: string;
      owner: { password: string };
    };
    return [encryptionKey, owner.password];
  });

const ordered = (...words: string[]): Promise<Said> =>
  watched(
    [...words, '--out', place.out],
    { cwd: place.out, results: place.out, env: { TMPDIR: place.temp } },
    MADE,
  );

/** What the command made for this run; each was seen where it belongs, so the search below can fail. */
function madeOf({ variables }: Said, names: readonly string[] = MADE): string[] {
  const seen = names.map((name) => [...(variables.get(name) ?? [])]);
  expect(seen.map((values) => values.length > 0)).toEqual(names.map(() => true));
  const owners = sealed();
  expect(owners.length).toBeGreaterThan(0);
  return [...seen.flat(), ...owners];
}

test('a run on n8n in queue mode keeps to itself what it was given and what it made', async () => {
  const given = some(8);
  const [key = '', pwd = '', dsn = '', smtp = '', otel = '', bearer = '', body = '', sig = ''] =
    given;
  const text = readFileSync(LAST_NODE, 'utf8');
  const workflow = join(place.temp, 'order.json');
  writeFileSync(workflow, text.replace('"path":', '"httpMethod": "POST", "path":'));
  const said = await ordered(
    ...['run', '--mode', 'queue', '--workers', '2', '--tuning', 'throughput', '--rate', '5'],
    ...['--workflow', workflow],
    ...['--request', `POST /webhook/load-last-node?n=5&sig=${encodeURIComponent(sig)}`],
    ...['--warmup', '0s', '--duration', '3s', '--drain', '5s'],
    ...['--header', `Authorization: Bearer ${bearer}`, '--body', JSON.stringify({ pin: body })],
    ...['--env', `N8N_ENCRYPTION_KEY=${key}`, '--env', `LEDGER_PG_PWD=${pwd}`],
    ...['--env', `STORE_DSN=postgresql://me:${encodeURIComponent(dsn)}@store/n8n`],
    ...['--env', `N8N_SMTP_PASS=${smtp}`],
    ...['--env', `OTEL_EXPORTER_OTLP_HEADERS=authorization=Basic ${otel}`],
  );
  expect(said.screen).toContain('load-last-node');
  const names = said.files.map((file) => file.slice(place.out.length));
  expect(names.filter((name) => /run\.json$/.test(name)).length).toBe(1);
  expect(names.filter((name) => /\/logs\//.test(name)).length).toBeGreaterThan(3);
  const record = textOf(said.files.find((file) => file.endsWith('run.json')) ?? '');
  expect(record).toContain('N8N_SMTP_PASS');
  for (const program of [/n8n start/, /n8n worker/, /redis-server/, /postgres/, /k6/]) {
    expect([...said.commands]).toContainEqual(expect.stringMatching(program));
  }
  expect(leaksOf(said, [...given, ...madeOf(said)])).toEqual([]);
  expect(openFiles(said.files)).toEqual([]);
  expect(filesBeneath(place.temp)).toEqual([workflow]);
});

test("a run of the user's own workload keeps to itself the text that is given for a parameter", async () => {
  const given = some(2);
  const [token = '', bearer = ''] = given;
  const file = join(place.temp, 'order.yaml');
  const request = { method: 'GET', path: '/webhook/load-last-node', query: { token: '{token}' } };
  writeFileSync(
    file,
    JSON.stringify({
      ...{ name: 'order', title: 'An order', stresses: 'The order desk.', request },
      parameters: { token: { title: 'Token', type: 'string', default: 'none' } },
      ...{ response: { expect: ['status==200'] }, answers: 'when-done' },
    }),
  );
  const said = await ordered(
    ...['run', '--target', 'process', '--workload', file, '--param', `token=${token}`],
    ...['--workflow', LAST_NODE, '--rate', '5'],
    ...['--warmup', '0s', '--duration', '3s', '--drain', '5s', '--header', `X-Api-Key: ${bearer}`],
  );
  expect(said.files.filter((each) => each.endsWith('run.json')).length).toBe(1);
  expect(leaksOf(said, [...given, ...madeOf(said, ['N8N_ENCRYPTION_KEY'])])).toEqual([]);
  expect(openFiles(said.files)).toEqual([]);
  expect(filesBeneath(place.temp)).toEqual([file]);
});

if (process.env['LONG'] === '1') {
  test('a drill on n8n in queue mode keeps to itself what it was given and what it made', async () => {
    const given = some(3);
    const [smtp = '', pwd = '', bearer = ''] = given;
    const said = await ordered(
      ...['drill', 'kill-worker', '--workers', '2', '--rate', '3', '--param', 'ms=200'],
      ...['--warmup', '1s', '--steady', '3s', '--after', '3s', '--no-control'],
      ...['--env', `N8N_SMTP_PASS=${smtp}`, '--env', `LEDGER_PG_PWD=${pwd}`],
      ...['--header', `X-Api-Key: ${bearer}`],
      ...SOON.flatMap((variable) => ['--env', variable]),
    );
    expect(said.files.filter((file) => file.endsWith('drill.json')).length).toBe(1);
    expect(leaksOf(said, [...given, ...madeOf(said)])).toEqual([]);
    expect(openFiles(said.files)).toEqual([]);
    expect(filesBeneath(place.temp)).toEqual([]);
  });
}
