import {
  changedDimensions,
  cellsOf,
  loadOf,
  topologyOf,
} from '../../../../cli/src/features/sweep/plan/plan-cells';
import { quickPlan, parseSweepPlan } from '../../../../cli/src/features/sweep/plan/plan';
import { cellSeconds } from '../../../../cli/src/features/sweep/estimate';
import { N8N_LEGACY_VERSION } from '../../../support/versions';

const plan = (text: string) => parseSweepPlan(text, 'plan.yaml');

/** The lines of what is said about a wrong plan. */
function complaints(text: string): string[] {
  try {
    plan(text);
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
}

describe('the check of a plan', () => {
  const good = `slo: [p95<1s]
dimensions:
  workers: [1, 2]
fixed: { mode: queue }
`;
  test.each([
    ['no YAML at all', 'a: [1, 2\nb: 3\n', /^plan\.yaml:\d: /],
    [
      'a value of the wrong kind',
      good.replace('[1, 2]', '[1, two]'),
      /^plan\.yaml:3: dimensions\.workers\.1 is "two": expected a whole number$/,
    ],
    [
      'a value out of bounds',
      good.replace('[1, 2]', '[0]'),
      /^plan\.yaml:3: dimensions\.workers\.0 is 0: expected more than 0$/,
    ],
    [
      'a value that is none of those there are',
      good.replace('queue', 'quick'),
      /^plan\.yaml:4: fixed\.mode is "quick": expected one of regular, queue$/,
    ],
    [
      'a dimension that does not exist',
      good.replace('workers', 'wokers'),
      /^plan\.yaml:3: dimensions\.wokers: there is no such dimension \(did you mean workers\?\): expected one of cpuMillicores, /,
    ],
    [
      'a key that does not exist',
      `${good}repeat: 3\n`,
      /^plan\.yaml:5: 'repeat' \(did you mean repeats\?\) is not known in a plan: expected one of .*repeats/,
    ],
    [
      'a key that does not exist, further down',
      `${good}measure:\n  lenght: 3s\n`,
      /^plan\.yaml:6: 'lenght' is not known under measure: expected one of profile, .*duration/,
    ],
    [
      'a length that is none',
      `${good}measure:\n  budget: soon\n`,
      /^plan\.yaml:6: measure\.budget is "soon": expected a duration, such as 30s or 5m$/,
    ],
    [
      'an SLO that is none',
      good.replace('p95<1s', 'p95<1'),
      /^plan\.yaml:1: slo: the SLO 'p95<1' needs a time with its unit/,
    ],
    [
      'an empty list',
      good.replace('[1, 2]', '[]'),
      /^plan\.yaml:3: .*expected at least one value$/,
    ],
    [
      'neither a matrix nor a list',
      'slo: [p95<1s]\n',
      /^plan\.yaml:1: .*expected either dimensions or cells$/,
    ],
    [
      'find without an SLO',
      good.replace('slo: [p95<1s]', 'seed: 2'),
      /^plan\.yaml:1: .*find requires an slo/,
    ],
    ['nothing', '', /^plan\.yaml:1: the plan: expected either dimensions or cells$/],
  ])('refuses %s with the line and what was expected', (_, text, expected) => {
    expect(complaints(text)[0]).toMatch(expected);
  });

  test('refuses several mistakes at once, each on its line', () => {
    const lines = complaints('slo: [p95<1s]\ndimensions:\n  workers: [a]\n  mode: [b]\nseed: c\n');
    expect(lines.map((line) => line.split(': ')[0])).toEqual(
      expect.arrayContaining(['plan.yaml:3', 'plan.yaml:4', 'plan.yaml:5']),
    );
  });

  test('accepts a plan without mistakes', () => {
    expect(complaints(good)).toEqual([]);
  });
});

describe('cells', () => {
  test('are every combination, over what is fixed; the impossible ones are left out with the reason', () => {
    const { possible, skipped } = cellsOf(
      plan(`slo: [p95<1s]
fixed: { workload: last-node }
dimensions:
  mode: [regular, queue]
  workers: [1, 2]
  webhooks: [0, 2]
`),
    );
    expect(possible).toHaveLength(4);
    expect(possible[0]).toEqual({ workload: 'last-node', mode: 'queue', workers: 1, webhooks: 0 });
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(
      new Set(['only queue mode has workers']),
    );
  });

  test.each([
    [{ process: 'own' }, /executions\.process: own \(--process own\) does not exist in n8n \d/],
    [{ mode: 'queue', database: 'sqlite' }, /SQLite/],
    [{ mode: 'regular', instances: 4 }, /regular mode has a single process/],
    [{ mode: 'queue', instances: 2, workers: 2 }, /use only one of them/],
    [{ mode: 'queue', spread: 'iptables' }, /does not support iptables/],
    [{ mode: 'queue', spread: 'nginx' }, /but there are none/],
    [{ mode: 'queue', spread: 'none', webhooks: 1 }, /always have nginx/],
    [{ webhooks: 1 }, /only queue mode has/],
    [{ memoryMiB: 512, heapMiB: 1024 }, /the heap is larger than the memory/],
    [{ concurrency: 5 }, /only queue mode has worker/],
    [{ 'env.DB_POSTGRESDB_HOST': 'db' }, /sets DB_POSTGRESDB_HOST, .* of your own: remove it/],
    [{ clients: 4 }, /find has no clients/],
    [{ profile: 'closed', ratePerSecond: 4 }, /closed has no rate/],
  ])('%j cannot be', (cell, reason) => {
    const text = `slo: [p95<1s]\ncells: [${JSON.stringify(cell)}]\n`;
    expect(cellsOf(plan(text)).skipped[0]?.reason).toMatch(reason);
  });

  test.each([
    [{ mode: 'queue', instances: 3 }, { workers: { count: 3 } }],
    [{ cpuMillicores: 500 }, { main: { cpuMillicores: 500 }, workers: { cpuMillicores: 500 } }],
    [{ heapMiB: 'none' }, { main: { heapMiB: 'none' } }],
    [
      { n8n: N8N_LEGACY_VERSION, process: 'own' },
      { n8n: N8N_LEGACY_VERSION, process: 'own' },
    ],
    [{ mode: 'queue', concurrency: 50 }, { workers: { count: 1, concurrency: 50 } }],
    [{ mode: 'queue', webhooks: 2, spread: 'nginx' }, { webhooks: { count: 2 } }],
    [{ 'env.N8N_LOG_LEVEL': 'debug' }, { env: { N8N_LOG_LEVEL: 'debug' } }],
    [{ tuning: 'io-bound' }, { tuning: 'io-bound' }],
  ])('%j asks for a topology', (cell, topology) => {
    const { possible } = cellsOf(plan(`slo: [p95<1s]\ncells: [${JSON.stringify(cell)}]\n`));
    expect(topologyOf(possible[0] ?? {})).toMatchObject(topology);
  });

  test('as a list are as they are listed', () => {
    const { possible } = cellsOf(
      plan('slo: [p95<1s]\nfixed: { mode: queue }\ncells: [{ workers: 2 }, { mode: regular }]\n'),
    );
    expect(possible).toEqual([{ mode: 'queue', workers: 2 }, { mode: 'regular' }]);
  });
});

describe('the load of a cell', () => {
  const mixed = plan(`slo: [p95<1s]
measure: { clients: 4, ratePerSecond: 20, duration: 30s, warmup: 5s, budget: 2m }
dimensions: { profile: [find, closed, load] }
`);

  test('takes what its profile knows', () => {
    expect(loadOf({ profile: 'closed' }, mixed)).toMatchObject({ clients: 4, durationSeconds: 30 });
    expect(loadOf({ profile: 'load' }, mixed)?.stages.at(-1)?.toRatePerSecond).toBe(20);
    expect(loadOf({ profile: 'find' }, mixed)).toBeNull();
  });

  test('tells how long the cell takes', () => {
    const run = cellSeconds({ profile: 'load' }, mixed);
    expect(run).toBeGreaterThan(35);
    expect(cellSeconds({ profile: 'load', mode: 'queue' }, mixed)).toBeGreaterThan(run);
    expect(cellSeconds({ profile: 'find' }, mixed)).toBeGreaterThan(120);
    expect(cellSeconds({ profile: 'find' }, mixed)).toBeLessThan(300);
  });
});

test('what is plotted over is what differs', () => {
  expect(
    changedDimensions([
      { a: 1, b: 2, c: 1 },
      { a: 1, b: 3 },
    ]),
  ).toEqual(['b', 'c']);
});

describe('how long responses are waited for', () => {
  const cells = 'dimensions: { database: [sqlite] }\n';

  test('is longer by itself if the SLO allows longer latencies', () => {
    expect(plan(`slo: [p95<1s]\n${cells}`).measure).toMatchObject({ timeout: 60, drain: 30 });
    expect(plan(`slo: [p95<40s]\n${cells}`).measure).toMatchObject({ timeout: 80, drain: 80 });
  });

  test('may not hide that the SLO is missed', () => {
    expect(complaints(`slo: [p95<6s]\nmeasure: { drain: 5s }\n${cells}`)).toEqual([
      'plan.yaml:2: measure: drain is 5 s, so requests without a response would not miss the SLO p95<6s: set drain to more than 6 s, or leave it out',
    ]);
  });
});

describe('--quick', () => {
  const text = `measure: { profile: closed, clients: 2, duration: 30s, warmup: 5s, drain: 7s }
dimensions: { database: [sqlite, postgresql], memoryMiB: [512, 1024] }
repeats: 3
`;

  test('takes times, repeats and dimensions from the section, and all else from the plan', () => {
    const whole = plan(`${text}quick: { duration: 3s, dimensions: { memoryMiB: [1024] } }\n`);
    const { quick, ...same } = whole;
    expect(quick).toBeDefined();
    expect(quickPlan(whole)).toEqual({
      ...same,
      measure: { ...whole.measure, duration: 3 },
      dimensions: { database: ['sqlite', 'postgresql'], memoryMiB: [1024] },
      repeats: 1,
    });
  });

  test('is not for a plan without the section', () => {
    expect(quickPlan(plan(text))).toBeNull();
  });

  test('says what the section may hold', () => {
    expect(complaints(`${text}quick: { clients: 1 }\n`)).toEqual([
      "plan.yaml:4: 'clients' is not known under quick: expected one of duration, warmup, probe, full, budget, repeats, dimensions",
    ]);
  });
});
