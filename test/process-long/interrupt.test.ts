import { buildCli, endStartedClis } from '../support/cli';
import { interrupted, k6Starts, loadIsOver, loads, type Interruption } from '../support/interrupt';

/** Commands that bring up an n8n for each part of what they measure, and drills; the rest is in test/process. */

jest.setTimeout(330_000);

beforeAll(buildCli);
afterEach(endStartedClis);

const regular = ['--tuning', 'throughput', '--workload', 'last-node', '--rate', '5'];
const LATE_FAULT = ['--warmup', '0s', '--steady', '60s', '--after', '5s'];

const cases: Interruption[] = [
  {
    name: 'sweep: in a cell',
    args: ['sweep', '-f', 'plan.yaml', '--anyway'],
    stage: k6Starts,
    record: 'sweep.json',
  },
  {
    name: 'recommend --prove: under load',
    args: [
      ...['recommend', '--prove', '--values', 'values.yaml', '--workload', 'last-node'],
      ...['--rate', '5', '--slo', 'p95<2s', '--duration', '60s', '--anyway'],
    ],
    stage: loads(5),
    record: 'run.json',
  },
  {
    name: 'drill: in the control',
    args: ['drill', 'kill-main', ...regular, ...LATE_FAULT],
    stage: loads(3),
    record: 'run.json',
  },
  {
    name: 'drill: in the steady phase',
    args: ['drill', 'kill-main', ...regular, ...LATE_FAULT, '--no-control'],
    stage: loads(3),
    record: 'drill.json',
  },
  {
    name: 'drill: n8n finishes what it accepted',
    args: [
      ...['drill', 'burst', '--tuning', 'throughput', '--workload', 'async', '--rate', '3'],
      ...['--no-control', '--warmup', '0s', '--steady', '2s', '--for', '2s', '--after', '2s'],
    ],
    stage: loadIsOver(loads(3)),
    record: 'drill.json',
  },
  {
    name: 'drill --recover: after its load',
    args: [
      ...['drill', 'kill-worker', '--recover', '--workers', '2', '--rate', '3', '--no-control'],
      ...['--warmup', '0s', '--steady', '3s', '--after', '3s', '--wait', '20s'],
    ],
    stage: loadIsOver(loads(3)),
    record: 'drill.json',
  },
  // The next drill must not begin.
  {
    name: 'drill all: in its first drill',
    args: ['drill', 'all', ...regular, ...LATE_FAULT, '--no-control'],
    stage: loads(3),
    record: 'drill.json',
  },
];

test.each(cases)('Ctrl-C ends the command in $name', async (each) => {
  await interrupted(each);
});
