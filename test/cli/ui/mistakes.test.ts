/** Whatever a user writes is understood or is a Mistake: no other error may reach them as if it were theirs. */
import { largeCount } from '../../../cli/src/options/parsers';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseExpectation } from '../../../loadtests/lib/expect';
import { Mistake } from '../../../loadtests/lib/mistake';
import { ownRequest } from '../../../loadtests/lib/own-request';
import { planOf, PROFILES, type ProfileName } from '../../../loadtests/lib/profile';
import { parseDuration } from '../../../loadtests/lib/duration';
import { parseSlos } from '../../../loadtests/lib/slo';
import { parametersFrom } from '../../../loadtests/lib/workload';
import { parseExport } from '../../../cli/src/catalogue/exported-workflow';
import { chooseTopology } from '../../../cli/src/plan/chosen-topology';
import { chooseWorkload } from '../../../cli/src/plan/chosen-workload';
import { parseCpu, parseMemory } from '../../../cli/src/plan/quantities';
import { parseSweepPlan } from '../../../cli/src/features/sweep/plan/plan';
import { readDeployed } from '../../../cli/src/targets/chart/deployed';
import { workflowsFolder } from '../../../cli/src/options/options';
import { runs } from '../../support/properties';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-mistakes-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Random text, and text that begins to look like what is asked for. */
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[\w.<>=%:/ ,{}[\]"-]{0,30}$/),
  fc.constantFrom(
    'p95<300ms',
    'errors<1%',
    'status==200',
    'json.a==1',
    'POST /x',
    '30s',
    '1Gi',
    'x=1',
  ),
);
const yaml = fc.oneof(
  text,
  fc.json(),
  fc
    .dictionary(
      fc.constantFrom(
        'main',
        'worker',
        'workers',
        'env',
        'n8n',
        'mode',
        'dimensions',
        'measure',
        'tuning',
        'resources',
      ),
      fc.jsonValue(),
    )
    .map((value) => JSON.stringify(value)),
);

function mistakeOrNothing(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    expect(error.message).not.toBe('');
  }
}

const fromFile = (content: string, work: (file: string) => unknown): unknown => {
  const file = join(folder, 'given.yaml');
  writeFileSync(file, content);
  return work(file);
};

const number = fc.oneof(fc.double(), fc.integer());
const parsers: [string, fc.Arbitrary<string>, (given: string) => unknown][] = [
  ['--slo', text, parseSlos],
  ['--expect', text, parseExpectation],
  ['--duration', text, parseDuration],
  ['--param', text, (given) => parametersFrom([given])],
  ['--request', text, (given) => ownRequest({ request: given, headers: [], expect: [] })],
  ['--header', text, (given) => ownRequest({ request: 'GET /', headers: [given], expect: [] })],
  ['--cpu', text, parseCpu],
  ['--memory', text, parseMemory],
  ['--topology', yaml, (given) => fromFile(given, (file) => chooseTopology({ topology: file }))],
  ['--workload', text, (given) => chooseWorkload({ workload: given }, workflowsFolder(), null)],
  [
    'a workload file',
    yaml,
    (given) =>
      fromFile(given, (file) => chooseWorkload({ workload: file }, workflowsFolder(), null)),
  ],
  ['--workflow', yaml, (given) => parseExport(given, 'given.json')],
  ['a plan of a sweep', yaml, (given) => parseSweepPlan(given, 'plan.yaml')],
  ['--values', yaml, readDeployed],
];

test.each(parsers)('%s', (_, arbitrary, parse) => {
  fc.assert(
    fc.property(arbitrary, (given) => {
      mistakeOrNothing(() => parse(given));
    }),
    // An alias without its anchor: YAML that parses, and cannot be turned into values.
    { numRuns: runs(150), examples: [['*!']] },
  );
});

test('a load profile takes any rate, length and number of clients, or says what is wrong', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(PROFILES) as ProfileName[])),
      fc.record(
        { ratePerSecond: number, durationSeconds: number, warmupSeconds: number, clients: number },
        { requiredKeys: [] },
      ),
      (profile, parameters) => {
        mistakeOrNothing(() => planOf(profile, parameters));
      },
    ),
  );
});

test.each([
  ['1M', 1_000_000],
  ['250k', 250_000],
  ['0.1M', 100_000],
  ['1.1M', 1_100_000],
  ['10000', 10_000],
])('a large count may have a suffix: %s', (given, count) => {
  expect(largeCount(given)).toBe(count);
});

test.each(['', '0', '1m', '1K', '0.5', '1.5', 'M', '-1k', '1e3', '0x10'])(
  "a large count is not '%s'",
  (given) => {
    expect(() => largeCount(given)).toThrow('such as 250000, 250k or 1M');
  },
);
