// The table of drills: the parts of its plan against the faults that there are, and the page of what was measured.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { FAULTS } from '../../capacity/src/drill/faults';
import type { DrillRecord } from '../../capacity/src/record/drill-record';
import { topologyOfValues } from '../../capacity/src/targets/kubernetes/values';
import { sampleDrill } from '../support/sample-drill';
import { told } from '../support/told';

const root = join(__dirname, '../..');
const plan = join(root, 'studies/drills/parts.mjs');

interface Part {
  fault: string;
  target: 'process' | 'kubernetes';
  configuration: string;
  repeat: number;
  name: string;
  seconds: number;
}

describe('the parts', () => {
  const { parts, commands } = told<{ parts: Part[]; commands: string[][] }>(
    plan,
    `{ parts: it.PARTS, commands: it.PARTS.map((part) => it.commandOf(part,
       { root: '/here', out: 'out', isShort: false })) }`,
  );

  test('have every fault on every target that can make it, and no other', () => {
    const can = FAULTS.flatMap(({ name, notOn }) =>
      (['process', 'kubernetes'] as const)
        .filter((target) => notOn?.[target] === undefined)
        .map((target) => `${name} ${target}`),
    );
    expect([...new Set(parts.map(({ fault, target }) => `${fault} ${target}`))].sort()).toEqual(
      can.sort(),
    );
  });

  test('are named once each, as often as a count needs, and none takes more than a segment', () => {
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
    expect(parts.filter(({ repeat }) => repeat === 1)).toHaveLength(parts.length / 3);
    expect(Math.max(...parts.map(({ seconds }) => seconds))).toBeLessThan(9 * 60);
    expect(parts[0]?.name).toBe('kill-worker-process-as-it-comes-1');
  });

  test('say how long a fault lasts where it does, and only there', () => {
    for (const [index, { fault }] of parts.entries()) {
      const lasts = FAULTS.find(({ name }) => name === fault)?.usualSeconds ?? 0;
      expect([fault, commands[index]?.includes('--for')]).toEqual([fault, lasts > 0]);
    }
  });

  test('are repeated where the first drill counted a loss, or has no record', () => {
    const ledger = (sent: number): object => ({
      drill: { ledger: { sent, classes: { once: { requests: 140 } } } },
    });
    const needed = (repeat: number, first?: object): boolean =>
      told(plan, 'it.isNeeded(input.part, input.first)', { part: { repeat }, first });
    expect([needed(1), needed(1, ledger(140)), needed(2)]).toEqual([true, true, true]);
    expect([needed(2, ledger(141)), needed(2, ledger(140))]).toEqual([true, false]);
    const names = told<string[]>(plan, 'it.PARTS.map((part) => it.firstOf(part))');
    expect(new Set(names)).toEqual(
      new Set(parts.filter(({ repeat }) => repeat === 1).map(({ name }) => name)),
    );
  });

  test('load what the chart loads and the target does not, in all but n8n as it comes', () => {
    for (const [index, { target, configuration }] of parts.entries()) {
      const words = commands[index] ?? [];
      const hasGuard = words.some((word) => word.endsWith('worker-guard.cjs'));
      expect(hasGuard).toBe(target === 'process' && configuration !== 'as-it-comes');
      expect(words.includes('--recover')).toBe(configuration === 'recovery');
    }
  });

  test('n8n as it comes is laid out alike in the pods of the chart, and loads no patch of behaviour', () => {
    const textOf = (name: string): string =>
      readFileSync(join(root, `studies/drills/${name}.yaml`), 'utf8');
    for (const name of ['as-it-comes', 'defaults']) {
      const files = [name, 'shared-node'].map((one) => ({ name: one, text: textOf(one) }));
      const { workers, webhooks, mode } = topologyOfValues(files);
      expect([mode, workers.count, webhooks.count]).toEqual(['queue', 2, 2]);
    }
    const text = textOf('as-it-comes');
    const { tuning, worker } = parse(text) as {
      tuning: Record<string, unknown>;
      worker: { guardSeconds: number };
    };
    const patches = [
      'lazyCharacterMap',
      'warmExpressions',
      'zoneOnce',
      'sessionOnce',
      'readOnce',
      'keepStalled',
    ];
    const loaded = [...patches, 'finishJobs'].filter((name) => tuning[name] !== false);
    expect([loaded, worker.guardSeconds]).toEqual([[], 0]);
  });
});

test('pods that share a node ask for less, and have the limits of the chart', () => {
  interface Resources {
    resources: { limits: object };
  }
  const limitsIn = (text: string): object[] => {
    const { main, worker, webhook, database, redis } = parse(text) as Record<
      'main' | 'worker' | 'webhook',
      Resources
    > &
      Record<'database' | 'redis', { own: Resources }>;
    return [main, worker, webhook, database.own, redis.own].map(
      ({ resources }) => resources.limits,
    );
  };
  // Where the chart decides by itself, its value stands in a comment.
  const chart = readFileSync(join(root, 'charts/n8n-tuned/values.yaml'), 'utf8').replaceAll(
    /resources: \{\} # default: (\{.*\})$/gm,
    'resources: $1',
  );
  const shared = readFileSync(join(root, 'studies/drills/shared-node.yaml'), 'utf8');
  expect(limitsIn(shared)).toEqual(limitsIn(chart));
});

describe('the table', () => {
  const { record } = sampleDrill();
  const page = (records: object[]): string =>
    told(join(root, 'lab/generate/results/drill-table.mjs'), 'it.drillTable(input)', records);
  const part = (drill: DrillRecord, repeat: number, configuration = 'defaults'): object => ({
    ...{ fault: 'kill-worker', target: 'process', configuration, repeat, drill, doneTwice: 0 },
    path: `studies/drills/results/parts/${String(repeat)}.json`,
  });
  const { ledger } = record;
  const without: DrillRecord = {
    ...record,
    ledger: { ...ledger, lost: 0 },
    verdict: { ...record.verdict, outcome: 'pass', promises: [] },
  };

  test('is left out while nothing was measured', () => {
    expect(page([])).toBe('');
  });

  test('adds repeats up, with their range, and says of each failure why and what would prevent it', () => {
    const text = page([part(record, 1), part(without, 2)]);
    expect(ledger.lost).toBeGreaterThan(0);
    expect(text).toContain(`| kill-worker | the chart's defaults | [1](../studies/`);
    expect(text).toContain(
      `| ${String(ledger.lost)} of ${String(2 * ledger.exposed)} (0 to ${String(ledger.lost)} per drill) |`,
    );
    expect(text).toContain('| 1 PASS, 1 FAIL |');
    expect(text).toMatch(
      /\| kill-worker \| process \| the chart's defaults \| lost=0 \| [^|]+ \| n8n fails what a dead worker had [^|]+ \| \[recovery\]/,
    );
  });

  test('says how many drills are missing: no repeat of one that lost nothing', () => {
    const { once } = ledger.classes;
    const clean: DrillRecord = {
      ...without,
      ledger: { ...without.ledger, sent: once.requests },
    };
    const first = (drill: DrillRecord): object => ({
      ...part(drill, 1),
      name: 'kill-worker-process-defaults-1',
    });
    const missing = (text: string): number =>
      Number(/Up to (\d+) have not been measured yet/.exec(text)?.[1]);
    expect(missing(page([first(record)])) - missing(page([first(clean)]))).toBe(2);
  });

  test('bounds what none of so many says', () => {
    const bound = 100 * (1 - 0.05 ** (1 / ledger.exposed));
    expect(page([part(without, 1, 'recovery')])).toContain(
      `0 of ${String(ledger.exposed)}: at most ${String(Number(bound.toPrecision(3)))} %`,
    );
  });

  test('marks drills that were not alone', () => {
    expect(page([part(record, 1)])).not.toContain('at a time');
    const text = page([part(record, 1), { ...part(without, 2), atOnce: 3 }]);
    expect(text).toContain('parts/1.json) [2](../studies/drills/results/parts/2.json)\\* |');
    expect(text).toContain('1 of these drills, marked with \\*, shared the machine');
  });

  test('names in each configuration only records that are there', () => {
    const text = readFileSync(join(root, 'docs/results/drills.md'), 'utf8');
    const named = [...text.matchAll(/\]\(\.\.\/\.\.\/(studies\/drills\/results\/[^)]+)\)/g)];
    for (const [, path = ''] of named)
      expect([path, existsSync(join(root, path))]).toEqual([path, true]);
  });
});
