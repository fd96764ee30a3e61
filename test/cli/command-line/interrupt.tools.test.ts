import { buildCli, endStartedClis } from '../../support/cli';
import { both, interrupted, k6Starts, runsDone, type Interruption } from '../../support/interrupt';
import { startKnownServer, type KnownServer } from '../../support/known-server';
import { EXECUTIONS, RETRY, standInApi } from './stand-in-api';

/** Interruptions that need no n8n: what is loaded is a server of known behaviour, and what is lost a stand-in's. */

jest.setTimeout(120_000);

let server: KnownServer;

beforeAll(async () => {
  buildCli();
  server = await startKnownServer({ latencyMs: 100 });
});
afterAll(async () => {
  endStartedClis();
  await server.close();
});

const request = ['--request', 'GET /x', '--expect', 'json.ok==true'];
const at = ['--target', 'url', '--url', 'SERVER', ...request];
const find = ['find', ...at, '--anyway', '--slo', 'p95<2s', '--probe', '2s', '--full', '5s'];
const compare = [
  ...['compare', 'SERVER', 'SERVER', ...request, '--anyway', '--vus', '1', '--duration', '2s'],
];
const cases: Interruption[] = [
  {
    name: 'run: k6 starts',
    args: ['run', ...at, '--rate', '5'],
    stage: k6Starts,
    record: 'run.json',
  },
  { name: 'find: warm-up', args: find, stage: k6Starts, record: 'find.json' },
  { name: 'find: between two probes', args: find, stage: runsDone(2), record: 'find.json' },
  { name: 'find: in a probe', args: find, stage: both(runsDone(2), k6Starts), record: 'find.json' },
  { name: 'compare: between two runs', args: compare, stage: runsDone(3), record: 'compare.json' },
];

// They wait more than they work.
test.concurrent.each(cases)('Ctrl-C ends the command in $name', async (each) => {
  const args = each.args.map((word) => (word === 'SERVER' ? server.url : word));
  await interrupted({ ...each, args });
});

test.concurrent.each([
  {
    name: 'recover: n8n is asked what it has lost',
    ...{ silentAt: EXECUTIONS, more: [], says: 'before anything was recorded' },
  },
  {
    name: 'recover: a retry is under way',
    ...{ silentAt: RETRY, more: ['--retry'], says: 'attempt 1 from Webhook: not known' },
  },
])('Ctrl-C ends the command in $name', async ({ name, silentAt, more, says }) => {
  const api = await standInApi(silentAt);
  const { stderr } = await interrupted({
    ...{ name, args: ['recover', '--url', api.url, '--since', '100000h', ...more] },
    ...{ env: { N8N_API_KEY: 'a-key' }, record: null },
    stage: () => api.asked.some((line) => line.endsWith(silentAt)),
  });
  await api.end();
  expect(stderr()).toContain(says);
});
