import { Kept } from '../../cli/src/targets/kept';
import { buildCli, endStartedClis } from '../support/cli';
import {
  both,
  interrupted,
  loadIsOver,
  loads,
  n8nStarts,
  without,
  type Interruption,
} from '../support/interrupt';

/**
 * Interruptions that have an n8n to take down; searches, comparisons and recoveries are interrupted in test/cli/command-line, what
 * measures several times with an n8n of its own, and further stages of a drill, in test/process-long.
 */

jest.setTimeout(330_000);

beforeAll(buildCli);
afterEach(endStartedClis);

const regular = ['--tuning', 'throughput', '--workload', 'last-node'];
const run = ['run', ...regular, '--rate', '5'];

const cases: Interruption[] = [
  { name: 'run: n8n starts', args: run, stage: n8nStarts, record: null },
  { name: 'run: under load', args: run, stage: loads(5), record: 'run.json' },
  {
    name: 'run: n8n finishes what it accepted',
    args: [
      ...['run', '--tuning', 'throughput', '--workload', 'async', '--rate', '3'],
      ...['--duration', '4s', '--warmup', '0s'],
    ],
    stage: loadIsOver(loads(3)),
    record: 'run.json',
  },
  {
    name: 'compare: n8n starts',
    args: [
      ...['compare', 'topology.yaml', 'topology.yaml', '--anyway'],
      ...['--workload', 'last-node', '--duration', '3s'],
    ],
    stage: n8nStarts,
    record: null,
  },
  {
    name: 'drill: in the fault',
    args: [
      ...['drill', 'stop-redis', '--workers', '1', '--workload', 'last-node', '--rate', '5'],
      ...['--no-control', '--warmup', '0s', '--steady', '4s', '--for', '2m', '--after', '5s'],
    ],
    stage: both(loads(2), without('redis-server')),
    record: 'drill.json',
  },
];

test.each(cases)('Ctrl-C ends the command in $name', async (each) => {
  const { stderr } = await interrupted(each);
  if (each.record === null) expect(stderr()).toContain('before anything was recorded');
});

test('Ctrl-C ends up while n8n starts', async () => {
  const name = `interrupted-${String(process.pid)}`;
  const { stderr } = await interrupted({
    ...{ name: 'up: n8n starts', args: ['up', '--name', name, ...regular] },
    ...{ stage: n8nStarts, record: null },
  });
  expect(stderr()).toContain('n8n was stopped again');
  expect(new Kept(name).read()).toBeNull();
});
