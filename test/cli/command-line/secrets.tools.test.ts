// Secrets at random places of an order: on no screen, in no file and in no argument of another process.
import fc from 'fast-check';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../cli/src/targets/process/ports';
import { EXIT } from '../../../cli/src/ui/exit';
import { buildCli, endStartedClis } from '../../support/cli';
import { leaksOf, openFiles, textOf, watched, type Said } from '../../support/leaks';
import { runs } from '../../support/properties';
import { secrets } from '../../support/secret';
import { unlessInvalid } from '../../support/wait';

jest.setTimeout(300_000);

let root = '';
let out = '';
let server: Server;
let url = '';
/** Every so many requests the connection is closed, so that k6 has something to say of their URL. */
let failsEvery = 0;

beforeAll(async () => {
  buildCli();
  root = mkdtempSync(join(tmpdir(), 'secrets-'));
  let count = 0;
  server = createServer((request, response) => {
    request.resume();
    count += 1;
    if (failsEvery > 0 && count % failsEvery === 0) request.socket.destroy();
    else response.setHeader('content-type', 'application/json').end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});

beforeEach(() => {
  failsEvery = 0;
  out = mkdtempSync(join(root, 'out-'));
  mkdirSync(join(out, 'results'));
});

afterEach(endStartedClis);

afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(root, { recursive: true, force: true });
});

const ordered = (words: readonly string[]): Promise<Said> =>
  watched(words, { cwd: out, results: join(out, 'results') });

const some = (count: number): string[] => fc.sample(secrets, count);
const results = (): string[] => ['--out', join(out, 'results')];

const SHORT = ['--duration', '1s', '--warmup', '0s', '--drain', '1s'];

test('a run at an address keeps to itself what its request holds, also where k6 speaks of it', async () => {
  failsEvery = 4;
  const given = some(5);
  const [query = '', bearer = '', key = '', body = '', expected = ''] = given;
  const said = await ordered([
    ...['run', '--url', url, '--rate', '20', '--profile', 'load', ...SHORT, ...results()],
    ...['--request', `POST /webhook/order?n=5&sig=${encodeURIComponent(query)}`],
    ...['--header', `Authorization: Bearer ${bearer}`, '--header', `X-Api-Key: ${key}`],
    ...['--body', JSON.stringify({ password: body }), '--expect', `json.ok!=${expected}`],
  ]);
  expect(
    said.files.filter((file) => /report\.(html|md)$|\.csv(\.gz)?$|run\.json$/.test(file)).length,
  ).toBeGreaterThan(4);
  expect(textOf(said.files.find((file) => file.endsWith('run.json')) ?? '')).toContain('sig=***');
  expect([...said.commands].some((line) => line.includes('--no-summary'))).toBe(true);
  expect(leaksOf(said, given)).toEqual([]);
  expect(openFiles(said.files)).toEqual([]);
});

/** Writes the variables into its log, as a program does that fails to start. */
const SAYING = `
const http = require('node:http');
console.log('started with', process.env.MY_TOKEN, process.env.DB_PASSWORD);
console.error(process.env.STORE_URL);
http.createServer((q, r) => r.end('ok')).listen(Number(process.env.PORT), '127.0.0.1');
`;

async function serverFile(name: string, env: Record<string, string>): Promise<string> {
  const port = await freePort();
  writeFileSync(join(out, 'saying.cjs'), SAYING);
  const file = join(out, name);
  writeFileSync(
    file,
    JSON.stringify({
      command: 'exec node saying.cjs',
      url: `http://127.0.0.1:${String(port)}`,
      env: { PORT: String(port), ...env },
    }),
  );
  return file;
}

test('a server is given its variables, which stand in no record and not in its log beside it', async () => {
  const given = some(3);
  const [token = '', password = '', store = ''] = given;
  const file = await serverFile('server.yaml', { DB_PASSWORD: password });
  const order = [
    ...['run', '--target', 'server', '--topology', file, '--rate', '20', '--profile', 'load'],
    ...['--env', `MY_TOKEN=${token}`, '--env', `STORE_URL=redis://:${store}@store:6379/0`],
    ...[...SHORT, ...results()],
  ];
  const said = await unlessInvalid(
    () => ordered(order),
    ({ code }) => code === EXIT.invalid,
  );
  expect(said.code).toBe(0);
  const log = said.files.find((each) => /logs\/server/.test(each)) ?? '';
  expect(textOf(log)).toContain('started with *** ***');
  expect(leaksOf(said, given)).toEqual([]);
  expect(openFiles(said.files)).toEqual([]);
});

test('a comparison, a search and a sweep record no variable of what they measure', async () => {
  const given = some(4);
  const [a = '', b = '', bearer = '', cell = ''] = given;
  const sides = [
    await serverFile('a.yaml', { MY_TOKEN: a }),
    await serverFile('b.yaml', { DB_PASSWORD: b }),
  ];
  const header = ['--header', `authorization: Bearer ${bearer}`];
  const compared = await ordered([
    ...['compare', ...sides, '--request', 'GET /', '--vus', '2', '--pairs', '2', ...header],
    ...[...SHORT, '--anyway', ...results()],
  ]);
  expect(compared.files.some((file) => file.endsWith('compare.json'))).toBe(true);
  expect(leaksOf(compared, given)).toEqual([]);

  const found = await ordered([
    ...['find', '--target', 'server', '--topology', sides[0] ?? '', '--slo', 'p95<1s', ...header],
    ...['--probe', '1s', '--full', '2s', '--budget', '12s', '--anyway', ...results()],
  ]);
  expect(found.files.some((file) => file.endsWith('find.json'))).toBe(true);
  expect(leaksOf(found, given)).toEqual([]);

  const plan = join(out, 'plan.yaml');
  writeFileSync(
    plan,
    JSON.stringify({
      measure: { profile: 'closed', clients: 1, duration: '1s', warmup: '0s' },
      fixed: { command: 'exec node saying.cjs', url: 'http://127.0.0.1:9', 'env.ANY': cell },
      dimensions: { cpuMillicores: [500] },
    }),
  );
  const swept = await ordered(['sweep', '-f', plan, ...results()]);
  expect(swept.code).toBe(2);
  expect(swept.screen).toContain('env.ANY of the plan may contain a secret');
  expect(leaksOf(swept, given)).toEqual([]);
  expect(openFiles(swept.files)).toEqual([]);
});

/** Without the "=" at its end, which would make it the name of a variable and its value. */
const bare = (secret: string): string => secret.replace(/=+$/, '');

/** Orders that are refused, by the option parser, by us, or by what the command meets. */
const refused = (secret: string): fc.Arbitrary<string[]> => {
  const coded = encodeURIComponent(secret);
  const request = ['--request', 'GET /x'];
  return fc.constantFrom(
    ['run', '--env', bare(secret)],
    ['run', '--env', `N8N_ENCRYPTION_KEY=${secret}`, '--mode', 'nonsense'],
    ['run', '--url', url, ...request, '--header', secret],
    ['run', '--url', url, ...request, '--expect', secret],
    ['run', '--url', url, ...request, '--expect', `json.ok==${secret}`, '--ready', '1s'],
    ['run', '--url', url, '--param', secret],
    ['run', '--url', url, '--workload', 'cpu', '--param', `token=${secret}`],
    ['run', '--url', `http://me:${coded}@127.0.0.1:9`, ...request],
    ['run', '--url', 'http://127.0.0.1:9', '--request', `GET /x?sig=${coded}`, '--ready', '1s'],
    ['run', '--url', `http://127.0.0.1:9/x?sig=${coded}`, '--ready', '1s'],
    ['run', '--url', url, ...request, '--prometheus', `http://me:${coded}@127.0.0.1:9`],
    ['run', '--url', url, ...request, '--s3', `s3://me:${coded}@bucket`],
    ['run', '--url', url, ...request, `--tokn=${secret}`],
    ['run', '--target', 'server', '--command', `exit 3 # ${secret}`, '--url', 'http://127.0.0.1:9'],
    ['find', '--url', url, '--anyway', ...request, '--header', `authorization ${secret}`],
    ['compare', `http://me:${coded}@127.0.0.1:9`, 'http://127.0.0.1:9', '--anyway', ...request],
    ['recover', '--url', `http://me:${coded}@127.0.0.1:9`],
    ['run', '--topology', 'topology.yaml'],
    ['run', '--topology', 'broken.yaml'],
    ['run', '--target', 'kubernetes', '--kubeconfig', 'nowhere', '--values', 'topology.yaml'],
    ['run', '--target', 'kubernetes', '--kubeconfig', 'nowhere', '--values', 'broken.yaml'],
    ['sweep', '-f', 'plan.yaml'],
    ['sweep', '-f', 'broken.yaml'],
  );
};

test('an order that is refused says why, and repeats no secret of it or of a file that it names', async () => {
  await fc.assert(
    fc.asyncProperty(
      secrets.chain((secret) => fc.tuple(fc.constant(secret), refused(secret))),
      async ([secret, words]) => {
        writeFileSync(
          join(out, 'topology.yaml'),
          `env: { DB_PASSWORD: ['${secret}'] }\nexecutions: { mode: x }\n`,
        );
        writeFileSync(join(out, 'broken.yaml'), `env:\n  DB_PASSWORD: '${secret}': x\n`);
        writeFileSync(
          join(out, 'plan.yaml'),
          `dimensions: { env.A_TOKEN: ['${secret}'] }\nslo: [x]\n`,
        );
        const patience = /^(run|find|compare)$/.test(words[0] ?? '') ? ['--ready', '1s'] : [];
        const said = await ordered([...words, ...patience]);
        expect(said.code).not.toBe(0);
        expect(said.screen).not.toBe('');
        // A user writes the command of a server as an argument of their own.
        if (words.includes('--command')) said.commands.clear();
        expect(leaksOf(said, [bare(secret)])).toEqual([]);
      },
    ),
    { numRuns: runs(40), endOnFailure: true },
  );
});
