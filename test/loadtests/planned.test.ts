import fc from 'fast-check';
import { optionsOf } from '../../loadtests/lib/options';
import { otherLoad, withoutSetup, type K6Options } from '../../loadtests/lib/planned';
import { PROFILES, type ProfileName } from '../../loadtests/lib/profile';
import { readSettings } from '../../loadtests/lib/settings';

const profiles = fc.constantFrom(...(Object.keys(PROFILES) as ProfileName[]));

function planned(profile: ProfileName, env: Record<string, string> = {}) {
  const settings = readSettings(profile, { REQUEST: 'GET /x', ...env }, () => '', '');
  const own = optionsOf(settings) as unknown as K6Options;
  return { settings, own, scenarios: own['scenarios'] as K6Options };
}

/** The options that k6 has when it has put all together. */
const OTHERS = [
  ['vus', 7, '--vus'],
  ['iterations', 3, '--iterations'],
  ['duration', '2s', '--duration'],
  ['stages', [{ duration: '1s', target: 3 }], '--stage'],
  ['rps', 5, '--rps'],
  ['minIterationDuration', '1s', '--min-iteration-duration'],
  ['batch', 20, '--batch'],
  ['batchPerHost', 6, '--batch-per-host'],
  ['executionSegment', {}, '--execution-segment'],
] as const;

test('the load of the plan is made, whatever k6 adds that has no part in it', () => {
  fc.assert(
    fc.property(profiles, fc.integer({ min: 1, max: 40 }), (profile, generators) => {
      const { settings, own, scenarios } = planned(profile, { SEGMENTS: String(generators) });
      const given = { ...own, scenarios: {}, tags: {}, insecureSkipTLSVerify: true, vus: null };
      // k6 fills in what the script leaves out.
      const running = Object.fromEntries(
        Object.entries(scenarios).map(([name, scenario]) => [
          name,
          { ...(scenario as object), startTime: null, exec: null, maxDuration: '1m12s' },
        ]),
      );
      expect(otherLoad(settings, own, given, running)).toBeNull();
    }),
  );
});

test('every option that would make another load is refused by name, alone and together with others', () => {
  fc.assert(
    fc.property(profiles, fc.subarray([...OTHERS], { minLength: 1 }), (profile, others) => {
      const { settings, own, scenarios } = planned(profile);
      const given = { ...own, ...Object.fromEntries(others) };
      const refused = otherLoad(settings, own, given, scenarios) ?? '';
      for (const [, , flag] of others) expect(refused).toContain(flag);
      expect(refused).toContain(profile === 'closed' ? 'set VUS and' : 'set RATE, DURATION');
      expect(refused).toContain('no load was generated');
    }),
  );
});

test.each([
  ['another name', { default: { executor: 'per-vu-iterations', vus: 2, iterations: 1 } }],
  ['another executor', { load: { executor: 'shared-iterations', vus: 2, iterations: 1 } }],
  ['more virtual users', { load: { executor: 'per-vu-iterations', vus: 3, iterations: 1 } }],
  ['more iterations', { load: { executor: 'per-vu-iterations', vus: 2, iterations: 2 } }],
  ['none', {}],
])('a scenario with %s is refused', (_what, running) => {
  const { settings, own } = planned('load');
  expect(otherLoad(settings, own, own, running)).toMatch(/^k6 does not run the scenario/);
});

test('a segment is what SEGMENTS announces', () => {
  const { settings, own, scenarios } = planned('load', { SEGMENTS: '3' });
  expect(otherLoad(settings, own, { ...own, executionSegment: {} }, scenarios)).toBeNull();
});

test('without setup nobody looks, so that is refused too', () => {
  expect(withoutSetup(planned('load').settings)).toContain('--no-setup');
});
