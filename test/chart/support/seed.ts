import fc from 'fast-check';

/** The seed of what is drawn and rendered: SEED, else that of all properties (test/support/properties.ts), else another each time. */
export const SEED = Number(
  process.env['SEED'] ?? fc.readConfigureGlobal().seed ?? Date.now() % 1e9,
);
