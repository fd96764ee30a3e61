import { buildCli, endStartedClis } from '../support/cli';
import { interrupted, k6Starts, loads, type Interruption } from '../support/interrupt';

/** Commands that bring up an n8n for each part of what they measure; the rest is in test/process. */

jest.setTimeout(330_000);

beforeAll(buildCli);
afterEach(endStartedClis);

const cases: Interruption[] = [
  {
    name: 'sweep: in a cell',
    args: ['sweep', '-f', 'plan.yaml'],
    stage: k6Starts,
    record: 'sweep.json',
  },
  {
    name: 'recommend --prove: under load',
    args: [
      ...['recommend', '--prove', '--values', 'values.yaml', '--workload', 'last-node'],
      ...['--rate', '5', '--slo', 'p95<2s', '--duration', '60s'],
    ],
    stage: loads(5),
    record: 'run.json',
  },
];

test.each(cases)('Ctrl-C in $name', async (each) => {
  await interrupted(each);
});
