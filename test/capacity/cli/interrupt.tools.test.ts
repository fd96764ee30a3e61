import { buildCli, endStartedClis } from '../../support/cli';
import {
  interrupted,
  k6Starts,
  runsDone,
  type Interruption,
  type Stage,
} from '../../support/interrupt';
import { startKnownServer, type KnownServer } from '../../support/known-server';

/** Where no n8n is needed: what is loaded is a server of known behaviour. */

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
const find = ['find', ...at, '--slo', 'p95<2s', '--probe', '2s', '--full', '5s'];
const compare = ['compare', 'SERVER', 'SERVER', ...request, '--vus', '1', '--duration', '2s'];
const inThe =
  (count: number): Stage =>
  (run, out) =>
    runsDone(count)(run, out) && k6Starts(run, out);

const cases: Interruption[] = [
  {
    name: 'run: k6 starts',
    args: ['run', ...at, '--rate', '5'],
    stage: k6Starts,
    record: 'run.json',
  },
  { name: 'find: warm-up', args: find, stage: k6Starts, record: 'find.json' },
  { name: 'find: between two probes', args: find, stage: runsDone(2), record: 'find.json' },
  { name: 'find: in a probe', args: find, stage: inThe(2), record: 'find.json' },
  { name: 'compare: between two runs', args: compare, stage: runsDone(3), record: 'compare.json' },
];

// They wait more than they work.
test.concurrent.each(cases)('Ctrl-C in $name', async (each) => {
  const args = each.args.map((word) => (word === 'SERVER' ? server.url : word));
  await interrupted({ ...each, args });
});
