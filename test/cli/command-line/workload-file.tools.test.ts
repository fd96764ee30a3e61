import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCli, endStartedClis, runCli, runFolder } from '../../support/cli';
import { startKnownServer, type KnownServer } from '../../support/known-server';
import { readWholeRun } from '../../support/read-run';
import { unlessInvalid } from '../../support/wait';
import { EXIT } from '../../../cli/src/ui/exit';

jest.setTimeout(60_000);

const THINK_MS = 400;
const WORKLOAD = `
name: order
title: An order
stresses: The order desk.
request: { method: POST, path: '/order/{article}', body: { json: { article: '{article}' } } }
parameters:
  article: { title: Article, type: string, default: A-1 }
response: { expect: ['status==200', 'json.ok==true'], requestIdAt: json.headers.x-load-id }
answers: when-done
thinkTimeMs: ${String(THINK_MS)}
`;

let server: KnownServer;
let out: string;

beforeAll(buildCli);

beforeEach(async () => {
  server = await startKnownServer({ latencyMs: 5 });
  out = mkdtempSync(join(tmpdir(), 'workload-file-'));
});

afterEach(async () => {
  endStartedClis();
  await server.close();
  rmSync(out, { recursive: true, force: true });
});

const run = (text: string, ...more: string[]): ReturnType<typeof runCli> => {
  const file = join(out, 'order.yaml');
  writeFileSync(file, text);
  const where = ['--target', 'url', '--url', server.url, '--out', join(out, 'runs')];
  return runCli(['run', ...where, '--workload', file, '--warmup', '0s', ...more]);
};

test("a file with the user's own workload is loaded as it says, each client thinking between two requests", async () => {
  const { code } = await unlessInvalid(
    () =>
      run(
        WORKLOAD,
        ...['--profile', 'closed', '--vus', '2', '--duration', '3s', '--param', 'article=B-2'],
      ),
    (said) => said.code === EXIT.invalid,
  );
  expect(code).toBe(0);
  const { record, requests } = await readWholeRun(runFolder(join(out, 'runs')) ?? '');
  expect(record.workload).toMatchObject({
    name: 'order',
    method: 'POST',
    path: '/order/***',
    parameters: { article: expect.stringMatching(/^\*\*\*:/) as string },
  });
  expect(requests.length).toBeGreaterThanOrEqual(4);
  // x-load-id is run, client, and which of the client's requests.
  const clientOf = (id: string): string => id.split('-').at(-2) ?? '';
  for (const client of new Set(requests.map(({ id }) => clientOf(id)))) {
    const own = requests.filter(({ id }) => clientOf(id) === client);
    const pauses = own.slice(1).map(({ tMs }, index) => {
      const before = own[index];
      return before === undefined ? 0 : tMs - before.tMs - before.durationMs;
    });
    // Both times are rounded to milliseconds.
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(THINK_MS - 2);
  }
});

test.each([
  [
    'an unknown key',
    `${WORKLOAD}thinkTime: 1`,
    "'thinkTime' (did you mean thinkTimeMs?) is not known in a workload",
  ],
  ['no YAML at all', 'name: [', 'order.yaml:1: '],
])('a file with %s is a mistake: a sentence and no request', async (_, text, because) => {
  const { code, stderr } = await run(text);
  expect(stderr).toContain(because);
  expect(code).toBe(2);
  expect(server.seen.right).toBe(0);
});
