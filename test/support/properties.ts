/**
 * CI judges every commit by the same cases; elsewhere each run draws new ones, so that properties go on finding faults.
 * `PROPERTY_SEED` repeats a run. `PROPERTY_SHARE` draws a share of the cases: a tenth in `make check`, 15% in the suites, all
 * of them with LONG=1.
 */
const { CI, LONG, PROPERTY_SEED } = process.env;

/** For single tests that take long, of a file whose other tests run in `make test`. */
export const isLong = LONG === '1';
const PROPERTY_SHARE = process.env['PROPERTY_SHARE'] ?? (isLong ? '1' : '0.15');
const seed = PROPERTY_SEED ?? (CI === undefined ? undefined : '1');

/** The number of cases that fast-check draws by itself. */
const DEFAULT_RUNS = 100;

/** For `numRuns`: how many of so many cases are drawn. */
export const runs = (all: number): number => Math.max(1, Math.ceil(all * Number(PROPERTY_SHARE)));

/** Draws of cases that a test goes through one by one: a share, other ones in each run unless a seed says which. */
export function drawn(all: number): number[] {
  const step = Math.round(all / runs(all));
  const first = seed === undefined ? Math.floor(Math.random() * step) : Number(seed) % step;
  const indexes: number[] = [];
  for (let i = first; i < all; i += step) indexes.push(i);
  return indexes;
}

// Nothing is mocked: most files have no property, and would otherwise load fast-check to configure it.
jest.doMock('fast-check', () => {
  const actual = jest.requireActual<typeof import('fast-check')>('fast-check');
  actual.configureGlobal({
    numRuns: runs(DEFAULT_RUNS),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
  return actual;
});
