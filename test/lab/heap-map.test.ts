// The heap map: its parts, what becomes of a payload, the rule that is fitted, and the page of what was measured.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { at, chartFile } from '../../cli/src/plan/environment';
import { parseExport } from '../../cli/src/catalogue/exported-workflow';
import * as fit from '../../studies/heap/fit';
import * as plan from '../../studies/heap/parts';
import { heapMapAnswer, heapMapText } from '../../lab/generate/studies/heap-map';

const root = join(__dirname, '../..');
const folder = join(root, 'studies/heap');

interface Layout {
  containerMiB: number;
  heapMiB: number;
  runnerHeapMiB: number | null;
  runnerContainerMiB?: number;
  capMiB: number;
  payloadsMiB: number[];
}
interface Part {
  name: string;
  kind: string;
  role: string;
  runner: string;
  seconds: number;
  containers: Layout[];
}
interface Row {
  containerMiB: number;
  heapMiB: number;
  capMiB: number;
  payloadMiB: number;
  outcome: string;
  peakMiB: number;
}

const parts = plan.PARTS as unknown as Part[];
const quick = plan.QUICK_PARTS as unknown as Part[];
const chart: Record<string, number> = plan.CHART;

describe('the parts', () => {
  test('are named once each and fit into half an hour, the quick ones into a minute', () => {
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
    const secondsOf = (some: Part[]): number => some.reduce((sum, { seconds }) => sum + seconds, 0);
    expect(secondsOf(parts)).toBeLessThanOrEqual(30 * 60);
    expect(secondsOf(quick)).toBeLessThanOrEqual(60);
  });

  test('have every size of container, every role, and both task runners', () => {
    const of = (key: 'role' | 'runner'): string[] => [...new Set(parts.map((part) => part[key]))];
    expect(of('role').sort()).toEqual(['main', 'main-queue', 'webhook', 'worker']);
    expect(of('runner').sort()).toEqual(['external', 'internal', 'none']);
    const sizes = parts.flatMap(({ containers }) => containers.map((one) => one.containerMiB));
    for (const gib of [1, 1.5, 2, 3, 4]) expect(sizes).toContain(1024 * gib);
  });

  test('begin with the shares of the chart', () => {
    const shareOf = (name: string): number => {
      const [above, below] = String(at(chartFile('values.yaml'), ['heap', name])).split('/');
      return Number(above) / Number(below);
    };
    expect(chart).toMatchObject({
      ...{ heap: shareOf('oldSpace'), runnerHeap: shareOf('runnerOldSpace') },
      payload: shareOf('runnerPayload'),
    });
  });

  test('ask for heaps that a container can have, and payloads that grow', () => {
    for (const { containers } of [...parts, ...quick]) {
      for (const { containerMiB, heapMiB, payloadsMiB } of containers) {
        expect(heapMiB).toBeLessThan(containerMiB);
        expect(payloadsMiB).toEqual(payloadsMiB.toSorted((a, b) => a - b));
      }
    }
  });

  test.each(['held', 'returned'])('the workflow %s is one', (kind) => {
    const file = join(folder, `workflows/${kind}.json`);
    const [workflow] = parseExport(readFileSync(file, 'utf8'), file);
    expect(workflow?.nodes[0]).toMatchObject({ parameters: { path: `study-heap-${kind}` } });
  });
});

test('the map says what became of a payload', () => {
  const lived = { isExpected: false, end: null, oomKills: 0, runnerOomKills: 0, log: '' };
  const cases: [string, object][] = [
    ['ok', { isExpected: true }],
    ['error', {}],
    ['refused', { log: 'RangeError: Max payload size exceeded' }],
    ['runner heap', { log: 'FATAL ERROR: ... JavaScript heap out of memory' }],
    ['runner killed', { runnerOomKills: 1 }],
    ['heap', { end: 'heap', log: 'JavaScript heap out of memory' }],
    ['killed', { end: 'memory' }],
    ['killed', { oomKills: 1 }],
    ['killed', { oomKills: 1, isExpected: true }],
    ['ended', { end: 'exit' }],
  ];
  const seen = cases.map(([, differs]) => ({ ...lived, ...differs }));
  expect(seen.map(fit.outcomeOf)).toEqual(cases.map(([outcome]) => outcome));
});

describe('the rule', () => {
  const SIZES = [1024, 1536, 2048, 3072, 4096];
  const SHARES = [1 / 2, 5 / 8, 3 / 4, 7 / 8];
  const row = (containerMiB: number, more: Partial<Row>): Row => ({
    ...{ containerMiB, heapMiB: containerMiB / 2, capMiB: 1024, payloadMiB: 0, peakMiB: 0 },
    ...{ outcome: 'ok', ...more },
  });
  /** An n8n that needs so much beside a full heap. */
  const filled = (besideMiB: number): Row[] =>
    SIZES.flatMap((size) =>
      SHARES.map((share) => {
        const heapMiB = size * share;
        const outcome = size - heapMiB >= besideMiB ? 'heap' : 'killed';
        return row(size, { heapMiB, payloadMiB: 2 * heapMiB, outcome });
      }),
    );
  /** An n8n that the kernel ends when a message takes more than a share of the container. */
  const messages = (share: number): Row[] =>
    SIZES.flatMap((size) =>
      [16, 32, 64, 128, 256].map((payloadMiB) =>
        row(size, { payloadMiB, outcome: payloadMiB <= share * size ? 'ok' : 'killed' }),
      ),
    );
  interface Rule {
    heapShare: number | null;
    besideMiB: number | null;
    payloadShare: number | null;
  }
  const fitted = (held: Row[], returned: Row[]): Rule => fit.fitRule({ held, returned });

  test('is the largest share that the kernel never ended, and what has to be left beside it', () => {
    expect(fitted(filled(300), messages(1 / 16))).toEqual({
      ...{ heapShare: 5 / 8, besideMiB: 384 },
      // In 3 GiB, 128 MiB are the largest that was tried below a sixteenth.
      payloadShare: 128 / 3072,
    });
  });

  test('never promises what was ended, whatever n8n needs', () => {
    const needs = fc.sample(fc.integer({ min: 0, max: 2500 }), 40);
    for (const need of needs) {
      const { heapShare, besideMiB, payloadShare } = fitted(filled(need), []);
      if (besideMiB !== null) expect(besideMiB).toBeGreaterThanOrEqual(need);
      if (heapShare !== null)
        for (const size of SIZES) expect(size * (1 - heapShare)).toBeGreaterThanOrEqual(need);
      expect(payloadShare).toBeNull();
    }
  });

  test('is not lowered by a container that nothing ended', () => {
    const small = [16, 32].map((payloadMiB) => row(256, { payloadMiB, outcome: 'killed' }));
    const [outlived, deadly] = small as [Row, Row];
    const rows = [{ ...outlived, outcome: 'ok' }, deadly, row(4096, { payloadMiB: 32 })];
    expect(fitted([], rows).payloadShare).toBe(16 / 256);
    expect(fitted([], rows.slice(2)).payloadShare).toBeNull();
  });

  test('counts a size as outlived only as far as no smaller one ended n8n', () => {
    const outcomes = ['ok', 'runner heap', 'killed', 'runner heap'];
    const rows = outcomes.map((outcome, at) => row(1024, { payloadMiB: 16 * (at + 1), outcome }));
    expect(fit.largestPayloads(rows)).toEqual([
      { containerMiB: 1024, passesMiB: 16, outlivedMiB: 32, endedByMiB: 48 },
    ]);
  });

  test('is not known where nothing tells', () => {
    expect(fitted([], [])).toEqual({ heapShare: null, besideMiB: null, payloadShare: null });
    expect(fitted([row(1024, { outcome: 'killed' })], [])).toMatchObject({ heapShare: null });
  });

  describe('on its page', () => {
    const part = (kind: string, name: string, rows: Row[]): object => ({
      ...{ name, path: `${name}.json`, kind, role: 'main', runner: 'internal', rows },
      ...{ startedAt: '2026-11-22T20:00:00.000Z', versions: { n8n: '2.41.1' } },
      ...{ machine: { cores: 2, cpu: 'a CPU' }, loadAverageAtStart: 0.5 },
    });
    const capped = [
      row(1024, { capMiB: 21, payloadMiB: 15, peakMiB: 700 }),
      row(1024, { capMiB: 21, payloadMiB: 42, outcome: 'refused', peakMiB: 710 }),
    ];
    const all = [
      part('held', 'held-main', filled(300)),
      part('returned', 'returned-main', messages(1 / 16)),
      part('returned', 'capped-main', capped),
    ];

    test('stands beside that of the chart', () => {
      const text = heapMapText(all as never);
      expect(text).toContain('| heap of n8n, most of the container | 62.5% | 50% |');
      expect(text).toContain('| largest message, of the container | 1/24 | 1/48 |');
      expect(text).toContain('| role | 1,024 MiB | 1,536 MiB | 2,048 MiB |');
      expect(text).toContain('| 1,024: 64; 1,536: 64; 2,048: ');
      expect(text).toContain('n8n ended in 0 of 2 payloads');
      expect(heapMapAnswer(all as never)).toEqual({
        sentence:
          "If the heap limit is at most 62.5% of the container's memory limit, the heap fills up before the container does, and n8n survives messages of up to 1/24 of the container.",
        heap: "If the heap limit is at most 62.5% of the container's memory limit, the heap fills up before the container does (75% is too much).",
        max: 'at most 62.5% of the memory limit (75% is too much); the chart sets 50%',
      });
    });
  });
});
