import fc from 'fast-check';

/**
 * CI judges every commit by the same cases; elsewhere each run draws new ones, so that properties go on finding
 * faults. `PROPERTY_SEED` repeats a run.
 */
const { CI, PROPERTY_SEED: seed = CI === undefined ? undefined : '1' } = process.env;

if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
