import fc from 'fast-check';
import { allowedFolders, liesIn } from '../../nodes/LoadTarget/world/folder';
import { sampleMs, type Distribution } from '../../nodes/LoadTarget/pure/distribution';
import { allowanceOf } from '../../nodes/LoadTarget/pure/allowance';
import {
  documentInTurns,
  parseInTurns,
  RecordPool,
  SMALLEST_DOCUMENT_BYTES,
  textsInTurns,
  TURN_BYTES,
  type RandomDocument,
} from '../../nodes/LoadTarget/pure/document';
import { refusal, roomMiB, type MemoryFigures } from '../../nodes/LoadTarget/pure/fits';
import { addUp } from '../../nodes/LoadTarget/operations/cpu';
import { burn, Frozen } from '../../nodes/LoadTarget/world/cpu';
import { withRoom } from '../../nodes/LoadTarget/world/memoryRoom';
import { checkedBoolean, checkedChoice, checkedNumber } from '../../nodes/shared/bounds';
import { themedIcon } from '../../nodes/shared/icon';
import { n8nRole } from '../../nodes/shared/n8nProcess';
import { seeded } from './support/lab';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../support/versions';
import { Expression, Workflow, type INodeTypes } from 'n8n-workflow';
import { LoadTarget } from '../../nodes/LoadTarget/LoadTarget.node';
import { subtitle } from '../../nodes/LoadTarget/subtitle';

describe('durations are drawn from the distribution', () => {
  const draws = (distribution: Distribution, limitMs = 1e9): number[] => {
    const random = seeded(7);
    return Array.from({ length: 20_000 }, () => sampleMs(distribution, limitMs, random));
  };
  const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

  test('fixed is always the same', () => {
    expect(new Set(draws({ kind: 'fixed', ms: 12 }))).toEqual(new Set([12]));
  });

  test('uniform lies between its ends and fills the room', () => {
    const values = draws({ kind: 'uniform', minMs: 100, maxMs: 200 });
    expect(Math.min(...values)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...values)).toBeLessThan(200);
    expect(mean(values)).toBeCloseTo(150, -0.5);
  });

  test('exponential has its mean, and a share of 1/e above it', () => {
    const values = draws({ kind: 'exponential', meanMs: 1000 });
    expect(mean(values) / 1000).toBeCloseTo(1, 1);
    expect(values.filter((ms) => ms > 1000).length / values.length).toBeCloseTo(Math.exp(-1), 1);
  });

  test('normal has its mean and deviation', () => {
    const values = draws({ kind: 'normal', meanMs: 1000, deviationMs: 100 });
    const variance = mean(values.map((ms) => (ms - 1000) ** 2));
    expect(mean(values) / 1000).toBeCloseTo(1, 1);
    expect(Math.sqrt(variance) / 100).toBeCloseTo(1, 1);
  });

  test('no duration is below 0 or above the limit', () => {
    const values = draws({ kind: 'normal', meanMs: 0, deviationMs: 100 }, 50);
    expect(Math.min(...values)).toBe(0);
    expect(Math.max(...values)).toBe(50);
  });
});

describe('a random document', () => {
  /** Runs to the end; gives the result, and the bytes that were written in each turn. */
  const made = (
    bytes: number,
    number = 1,
    pool = new RecordPool(seeded(number), 20_000),
  ): { document: RandomDocument; json: string; turns: number[] } => {
    const turns = [0];
    let json = '';
    const work = documentInTurns(bytes, pool, number, seeded(number), (part) => {
      json += part;
      turns[turns.length - 1] = (turns.at(-1) ?? 0) + part.length;
    });
    for (;;) {
      const step = work.next();
      if (step.done) return { document: step.value, json, turns };
      turns.push(0);
    }
  };

  test('has exactly the bytes that were asked, is what was written, and no two are alike', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: SMALLEST_DOCUMENT_BYTES, max: 20_000 }),
        fc.nat(1e6),
        (bytes, number) => {
          const pool = new RecordPool(seeded(number), 20_000);
          const { document, json } = made(bytes, number, pool);
          expect(Buffer.byteLength(json)).toBe(bytes);
          expect(JSON.parse(json)).toEqual(document);
          expect(made(bytes, number + 1, pool).document).not.toEqual(bytes > 400 ? document : null);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('shares no object with another, so a later node can change it', () => {
    const pool = new RecordPool(seeded(1), 20_000);
    const { document } = made(5000, 1, pool);
    const before = JSON.stringify(made(5000, 1, pool).document);
    for (const record of document.records) record.tags.push('changed');
    expect(JSON.stringify(made(5000, 1, pool).document)).toBe(before);
  });

  test('is made and parsed in turns that are never longer than the bound, whatever its size', () => {
    for (const bytes of [TURN_BYTES / 2, TURN_BYTES + 1000, 5.5 * TURN_BYTES, 20 * TURN_BYTES]) {
      const { document, json, turns } = made(bytes);
      expect(Math.max(...turns)).toBeLessThan(TURN_BYTES + 1000);
      const parsing = parseInTurns(json);
      let parsed = parsing.next();
      let count = 1;
      for (; !parsed.done; parsed = parsing.next()) count += 1;
      expect(parsed.value).toEqual(document);
      expect(count).toBeGreaterThanOrEqual(Math.floor(bytes / TURN_BYTES));
    }
  });

  test('has texts that are drawn in turns of the same length, and only once', () => {
    let drawn = 0;
    const random = seeded(1);
    const pool = new RecordPool(() => ((drawn += 1), random()));
    const drawnPerTurn: number[] = [];
    const turns = pool.growFor(10 * TURN_BYTES);
    for (let before = 0; !turns.next().done; before = drawn) drawnPerTurn.push(drawn - before);
    expect(drawnPerTurn.length).toBeGreaterThanOrEqual(9);
    // A character or a number takes a byte at least.
    expect(Math.max(...drawnPerTurn)).toBeLessThan(TURN_BYTES);
    drawn = 0;
    made(10 * TURN_BYTES, 2, pool);
    expect(drawn).toBe(0);
  });
});

test('texts have the asked number and length, and are cut in turns', () => {
  const letters = Buffer.from('abcdefgh'.repeat(100));
  for (const [count, bytes] of [
    ...[
      [3, 0],
      [3, 5],
      [2, 5000],
      [5000, 1],
      [4, TURN_BYTES],
    ],
  ] as [number, number][]) {
    const work = textsInTurns(count, bytes, letters, seeded(3));
    let step = work.next();
    let turns = 1;
    for (; !step.done; step = work.next()) turns += 1;
    expect(step.value.map(({ length }) => length)).toEqual(Array<number>(count).fill(bytes));
    expect(turns).toBeGreaterThanOrEqual((count * bytes) / TURN_BYTES);
  }
  expect([...textsInTurns(100_000, 0, letters, seeded(3))].length).toBeGreaterThan(20);
});

describe('what the administrator allows', () => {
  test.each([
    [{}, { dangerous: false, maxMiB: Infinity, maxMs: Infinity }],
    [{ LOAD_TARGET_DANGEROUS: 'true' }, { dangerous: true, maxMiB: Infinity, maxMs: Infinity }],
    [
      { LOAD_TARGET_DANGEROUS: 'false', LOAD_TARGET_MAX_MIB: '64', LOAD_TARGET_MAX_MS: '1500.5' },
      { dangerous: false, maxMiB: 64, maxMs: 1500.5 },
    ],
    [
      { LOAD_TARGET_DANGEROUS: '', LOAD_TARGET_MAX_MIB: '', LOAD_TARGET_MAX_MS: '' },
      { dangerous: false, maxMiB: Infinity, maxMs: Infinity },
    ],
  ])('is read from %j', (env, allowance) => {
    expect(allowanceOf(env)).toEqual(allowance);
  });

  test.each([
    [{ LOAD_TARGET_DANGEROUS: 'yes' }, `'LOAD_TARGET_DANGEROUS' must be true or false`],
    [{ LOAD_TARGET_MAX_MIB: '64Mi' }, `'LOAD_TARGET_MAX_MIB' must be a number`],
    [{ LOAD_TARGET_MAX_MS: '-1' }, `'LOAD_TARGET_MAX_MS' must be from 0`],
  ])('is not guessed from %j', (env, message) => {
    expect(() => allowanceOf(env)).toThrow(message);
  });
});

test('the loop adds up the same whether it runs in one go or in parts', () => {
  expect(addUp(0, 0, 5000)).toBe((4999 * 5000) / 2);
  expect(addUp(addUp(0, 0, 1234), 1234, 5000)).toBe(addUp(0, 0, 5000));
});

describe('memory that does not fit is refused with the figures', () => {
  const figures: MemoryFigures = {
    heapUsedMiB: 100,
    heapLimitMiB: 1000,
    rssMiB: 300,
    availableMiB: 5000,
  };

  test('the heap limits what lies on it, the container what does not', () => {
    expect(roomMiB('strings', figures, 0)).toBe(768);
    expect(roomMiB('objects', figures, 0)).toBe(768);
    expect(roomMiB('buffers', figures, 0)).toBe(4968);
    expect(roomMiB('strings', { ...figures, availableMiB: 200 }, 0)).toBe(168);
  });

  test('what others are still making counts as taken', () => {
    expect(roomMiB('strings', figures, 700)).toBe(68);
  });

  test('the sentence names every figure', () => {
    expect(refusal('strings', 768, figures, 0)).toBeUndefined();
    expect(refusal('strings', 769, figures, 10)).toBe(
      '769 MiB of strings do not fit: 758 MiB are free for them (heap 100 MiB of 1000 MiB used, ' +
        'process 300 MiB, system 5000 MiB available, 10 MiB promised to others)',
    );
  });
});

test('what is too small to be refused by itself is refused where it is too much together', async () => {
  let end = (): void => undefined;
  const others = new Promise<void>((resolve) => (end = resolve));
  // Nothing is made: each only says what it is about to make, 31 GiB together.
  const need = { kind: 'objects' as const, sizeMiB: 31, mayCrash: false };
  const all = Array.from({ length: 1000 }, () =>
    withRoom(need, () => others).then(
      () => 'made',
      (error: unknown) => (error as Error).message,
    ),
  );
  end();
  const said = await Promise.all(all);
  expect(said[0]).toBe('made');
  expect(said.at(-1)).toMatch(/^31 MiB of objects do not fit: \d+ MiB are free/);
  // Whoever comes after them has the room again.
  expect(await withRoom(need, () => Promise.resolve('made'))).toBe('made');
});

describe('a value from an expression is checked', () => {
  const bounds = { title: 'Size (MiB)', min: 1, max: 10 };

  test('a number as text, as a query gives it, is a number', () => {
    expect(checkedNumber('2.5', bounds)).toBe(2.5);
  });

  test.each([
    [undefined, "'Size (MiB)' must be a number, but it is missing"],
    ['', `'Size (MiB)' must be a number, but it is ""`],
    ['ten', `'Size (MiB)' must be a number, but it is "ten"`],
    [NaN, "'Size (MiB)' must be a number, but it is null"],
    [{ a: 1 }, `'Size (MiB)' must be a number, but it is {"a":1}`],
    [11, "'Size (MiB)' must be from 1 to 10, but it is 11"],
    ['-1', "'Size (MiB)' must be from 1 to 10, but it is -1"],
  ])('%p is refused', (value, message) => {
    expect(() => checkedNumber(value, bounds)).toThrow(message);
  });

  test('whole numbers, choices and switches', () => {
    expect(() => checkedNumber(1.5, { ...bounds, integer: true })).toThrow(
      'must be a whole number',
    );
    expect(() => checkedChoice('x', 'Kind', ['a', 'b'])).toThrow(
      `'Kind' must be one of a, b, but it is "x"`,
    );
    expect(checkedBoolean('true', 'On')).toBe(true);
    expect(() => checkedBoolean(1, 'On')).toThrow("'On' must be true or false, but it is 1");
  });
});

test('the role follows the command that n8n was started with', () => {
  expect(n8nRole(['node', '/n8n/bin/n8n'])).toBe('main');
  expect(n8nRole(['node', '/n8n/bin/n8n', 'start'])).toBe('main');
  expect(n8nRole(['node', '/n8n/bin/n8n', 'worker', '--concurrency=5'])).toBe('worker');
  expect(n8nRole(['node', '/n8n/bin/n8n', 'webhook'])).toBe('webhook');
  expect(n8nRole(['node', '/n8n/dist/WorkflowRunnerProcess.js'])).toBe('own');
});

test('n8n that knows no themed icons gets the light one', () => {
  const icon = { light: 'file:a.svg', dark: 'file:b.svg' } as const;
  expect(themedIcon(icon, N8N_LEGACY_VERSION)).toBe('file:a.svg');
  expect(themedIcon(icon, '1.49.0')).toBe('file:a.svg');
  expect(themedIcon(icon, '1.50.0')).toBe(icon);
  expect(themedIcon(icon, N8N_VERSION)).toBe(icon);
});

test('work stops where it keeps others waiting for too long', async () => {
  const plan = {
    ...{ work: addUp, untilIteration: Infinity, untilCpuTimeMs: Infinity, signal: undefined },
    ...{ yieldEveryMs: Infinity, longestFreezeMs: 20 },
  };
  await expect(burn(plan)).rejects.toThrow(Frozen);
});

test.each([
  [undefined, 2, ['/home/me/.n8n-files']],
  [undefined, 0, undefined],
  [undefined, undefined, ['/home/me/.n8n-files']],
  ['', 2, undefined],
  ['/a; ~/b ;', 0, ['/a', '/home/me/b']],
])('N8N_RESTRICT_FILE_ACCESS_TO=%p on n8n %p allows %p', (variable, major, folders) => {
  expect(allowedFolders(variable, major, '/home/me')).toEqual(folders);
});

test.each([
  ['/a', '/a', true],
  ['/a', '/a/b/c', true],
  ['/a', '/ab', false],
  ['/a', '/', false],
  ['/a', '/a/..b', true],
  ['/', '/b', true],
])('in the folder %s lies %s: %p', (folder, path, expected) => {
  expect(liesIn(folder, path)).toBe(expected);
});

const description = new LoadTarget().description;
const nodeTypes = {
  getByName: () => ({ description }),
  getByNameAndVersion: () => ({ description }),
  getKnownTypes: () => ({}),
} as unknown as INodeTypes;

/** The subtitle as the editor evaluates it, with no data from an execution. */
function shown(parameters: Record<string, string | number>): unknown {
  Expression.setExpressionEngine('legacy');
  const node = { id: 'n', name: 'Load', type: 'loadTarget', typeVersion: 1, parameters };
  const workflow = new Workflow({
    ...{ id: '1', name: 'x', connections: {}, active: false, nodeTypes },
    nodes: [{ ...node, position: [0, 0] }],
  });
  const found = workflow.getNode('Load');
  if (found === null) throw new Error('no node');
  return workflow.expression.getSimpleParameterValue(found, subtitle(N8N_VERSION), 'internal', {});
}

test.each([
  [{ operation: 'json', sizeKiB: 20 }, 'JSON: 20 KiB'],
  [{ operation: 'memory', sizeMiB: '={{ 3 * 4 }}' }, 'Memory: 12 MiB'],
  [{ operation: 'memory', sizeMiB: '={{ Number($json.query.mb) }}' }, 'Memory'],
  [{ operation: 'cpu', cpuTimeMs: 100 }, 'CPU: 100 ms'],
  [{ operation: 'cpu', until: 'loop' }, 'CPU'],
  [{ operation: 'payload', payloadKind: 'binary' }, 'Payload'],
  [{ operation: 'wait', distribution: 'normal', waitMs: 5 }, 'Wait'],
  [{ operation: 'fail', probability: 0.1 }, 'Fail: 0.1'],
])('%p is shown as %s', (parameters, text) => {
  expect(shown(parameters as Record<string, string | number>)).toBe(text);
});

test('n8n 0.x gets an expression that it can evaluate', () => {
  expect(subtitle(N8N_LEGACY_VERSION)).not.toContain('try');
});
