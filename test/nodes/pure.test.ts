import fc from 'fast-check';
import { allowedFolders, liesIn } from '../../nodes/LoadTarget/pure/allowed';
import { sampleMs, type Distribution } from '../../nodes/LoadTarget/pure/distribution';
import { randomDocument, SMALLEST_DOCUMENT_BYTES } from '../../nodes/LoadTarget/pure/document';
import { refusal, roomMiB, type MemoryFigures } from '../../nodes/LoadTarget/pure/fits';
import { addUp } from '../../nodes/LoadTarget/pure/loop';
import { burn, Frozen } from '../../nodes/LoadTarget/world/cpu';
import { checkedBoolean, checkedChoice, checkedNumber } from '../../nodes/shared/bounds';
import { themedIcon } from '../../nodes/shared/icon';
import { n8nRole } from '../../nodes/shared/n8nProcess';
import { seeded } from './support/seeded';

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

test('a random document has exactly the bytes that were asked, and no two are alike', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: SMALLEST_DOCUMENT_BYTES, max: 20_000 }),
      fc.nat(),
      (bytes, seed) => {
        const random = seeded(seed);
        const document = randomDocument(bytes, random);
        expect(Buffer.byteLength(JSON.stringify(document))).toBe(bytes);
        expect(randomDocument(bytes, random)).not.toEqual(bytes > 400 ? document : null);
      },
    ),
    { numRuns: 200 },
  );
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
  expect(themedIcon(icon, '0.221.2')).toBe('file:a.svg');
  expect(themedIcon(icon, '1.49.0')).toBe('file:a.svg');
  expect(themedIcon(icon, '1.50.0')).toBe(icon);
  expect(themedIcon(icon, '2.41.1')).toBe(icon);
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
