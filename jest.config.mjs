// One Jest project a suite; test/suites.ts says what each suite needs.
// Scripts are ES modules, and Jest runs them as CommonJS: swc rewrites their imports and `import.meta`.
const transform = {
  '\\.(ts|mjs)$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
};

/** Jest looks a global up through its sandbox at each use, which makes arithmetic a hundred times slower: not these. */
const FAST_GLOBALS = ['Array', 'Map', 'Math', 'Number', 'Object', 'Set', 'String'];

const NEED_NO_BUILD = ['site'];

const suite = (name, extra = {}) => ({
  displayName: name,
  rootDir: import.meta.dirname,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  testPathIgnorePatterns: ['/node_modules/', '\\.long\\.test\\.ts$'],
  transform,
  sandboxInjectedGlobals: FAST_GLOBALS,
  // What the chart carries and what is built are copies under the same names.
  modulePathIgnorePatterns: ['<rootDir>/charts/', '<rootDir>/dist/'],
  ...(NEED_NO_BUILD.includes(name) ? {} : { globalSetup: '<rootDir>/test/support/built.ts' }),
  ...extra,
  setupFiles: ['<rootDir>/test/support/properties.ts', ...(extra.setupFiles ?? [])],
});

const tools = (name) => suite(name, { testMatch: [`<rootDir>/test/${name}/**/*.tools.test.ts`] });
const long = (name) =>
  suite(`${name}-long`, {
    testMatch: [
      `<rootDir>/test/${name}-long/**/*.test.ts`,
      `<rootDir>/test/${name}/**/*.long.test.ts`,
    ],
    testPathIgnorePatterns: ['/node_modules/'],
  });

export default {
  // A busy machine is no reason to fail: a test that must end sooner says so itself.
  testTimeout: 60_000,
  projects: [
    // What needs no tool of the lab.
    suite('pure', {
      testMatch: ['cli', 'loadtests'].map((name) => `<rootDir>/test/${name}/**/*.test.ts`),
      testPathIgnorePatterns: ['/node_modules/', '\\.(tools|long)\\.test\\.ts$'],
      setupFiles: ['<rootDir>/test/support/without-tools.ts'],
    }),
    suite('lab'),
    suite('nodes'),
    long('nodes'),
    suite('workflows'),
    long('workflows'),
    tools('loadtests'),
    tools('cli'),
    long('cli'),
    suite('chart'),
    long('chart'),
    suite('monitoring'),
    long('monitoring'),
    suite('process'),
    long('process'),
    suite('browser'),
    long('browser'),
    suite('site'),
    suite('studies'),
    suite('studies-pods'),
    suite('cluster'),
    long('cluster'),
  ],
};
