import {
  diagnose,
  isReady,
  PROGRAMS,
  type DoctorCheck,
  type Facts,
} from '../../cli/src/lab/doctor';
import { gatherFacts } from '../../cli/src/lab/facts';
import { renderChecks } from '../../cli/src/commands/doctor';

const programs = Object.fromEntries(
  PROGRAMS.map((name) => [name, { path: `/lab/${name}`, version: '99.0.0' }]),
) as Facts['programs'];

const everything: Facts = {
  platform: 'linux',
  arch: 'x64',
  cores: 2,
  memoryMiB: 8192,
  freeDiskMiB: 20_480,
  cache: '/home/someone/.cache/n8n-tuned',
  hasLab: true,
  isRoot: true,
  node: 'v20.20.2',
  noLimitsReason: null,
  limitsBy: 'v2',
  programs,
  n8nVersions: ['2.0.0', '0.1.0'],
  pinned: { n8n: '2.0.0', n8nLegacy: '0.1.0' },
  dockerRuns: false,
  kubeconfig: null,
  nativeClusterBuilt: true,
};

const without = (...names: (keyof Facts['programs'])[]): Facts => ({
  ...everything,
  programs: { ...programs, ...Object.fromEntries(names.map((name) => [name, null])) },
});
const withVersion = (name: keyof Facts['programs'], version: string): Facts => ({
  ...everything,
  programs: { ...programs, [name]: { path: `/usr/bin/${name}`, version } },
});
const find = (facts: Facts, name: string): DoctorCheck | undefined =>
  diagnose(facts).find((check) => check.name === name);

describe('the doctor', () => {
  it('finds nothing to do where everything is here', () => {
    const checks = diagnose(everything);
    expect(checks.filter(({ state, advice }) => state !== 'ok' || advice !== null)).toEqual([]);
    expect(isReady(checks)).toBe(true);
  });

  const broken: [string, Facts, RegExp][] = [
    ['k6', without('k6'), /^lab\/install\.sh k6$/],
    ['k6', withVersion('k6', '1.7.9'), /^lab\/install\.sh k6$/],
    ['node 24', without('node24'), /^lab\/install\.sh node24$/],
    ['n8n', { ...everything, n8nVersions: ['2.0.1'] }, /^lab\/install\.sh n8n$/],
    ['platform', { ...everything, platform: 'darwin', arch: 'arm64' }, /target url or kubernetes/],
    ['platform', { ...everything, arch: 'arm64' }, /only on Linux on x86-64/],
    ['node', { ...everything, node: 'v18.20.8' }, /Node\.js 20 or later/],
  ];
  it.each(broken)('is not ready without a fitting %s', (name, facts, advice) => {
    expect(find(facts, name)).toMatchObject({
      state: 'missing',
      advice: expect.stringMatching(advice) as string,
    });
    expect(isReady(diagnose(facts))).toBe(false);
  });

  describe('of the npm package, which has no lab', () => {
    const packaged: Facts = {
      ...everything,
      hasLab: false,
      n8nVersions: [],
      nativeClusterBuilt: false,
      programs: Object.fromEntries(PROGRAMS.map((name) => [name, null])) as Facts['programs'],
    };

    it('is ready with k6 alone', () => {
      expect(isReady(diagnose(packaged))).toBe(false);
      expect(
        isReady(diagnose({ ...packaged, programs: { ...packaged.programs, k6: programs.k6 } })),
      ).toBe(true);
    });

    it('advises nothing that only a checkout has', () => {
      const advice = diagnose(packaged).map(({ advice: text }) => text ?? '');
      expect(find(packaged, 'k6')?.advice).toContain('grafana.com/docs/k6');
      expect(find(packaged, 'checkout')?.state).toBe('absent');
      expect(advice.filter((text) => /install\.sh|make cluster/.test(text))).toEqual([]);
    });
  });

  it('says which version is too old, and where it lies', () => {
    expect(find(withVersion('k6', '1.7.9'), 'k6')?.found).toBe(
      '1.7.9 at /usr/bin/k6 is older than 1.8.0',
    );
  });

  const tolerable: [string, string, Facts][] = [
    ['redis', 'missing', without('redis-server')],
    ['postgresql', 'missing', without('postgres')],
    ['cluster', 'missing', { ...everything, nativeClusterBuilt: false }],
    ['go', 'missing', without('go')],
    ['disk', 'missing', { ...everything, freeDiskMiB: 5120 }],
    ['n8n < 1.0', 'absent', { ...everything, n8nVersions: ['2.0.0'] }],
    ['limits', 'absent', { ...everything, limitsBy: null, noLimitsReason: 'not writable' }],
    ['memory', 'absent', { ...everything, memoryMiB: 2048 }],
    ['root', 'absent', { ...everything, isRoot: false }],
  ];
  it.each(tolerable)(
    'without %s (%s) the target process can still be loaded',
    (name, state, facts) => {
      expect(find(facts, name)?.state).toBe(state);
      expect(isReady(diagnose(facts))).toBe(true);
    },
  );

  it('takes either Helm for Kubernetes, the third before the fourth', () => {
    expect(find(everything, 'helm')?.found).toContain('/lab/helm3');
    expect(find(without('helm3'), 'helm')?.found).toContain('/lab/helm4');
    expect(find(without('helm3', 'helm4'), 'helm')?.state).toBe('missing');
  });

  it('names the cluster in the order in which one is taken', () => {
    const kind: Facts = { ...everything, dockerRuns: true };
    const named: Facts = { ...kind, kubeconfig: { path: '/k', exists: true } };
    expect(find(named, 'cluster')?.found).toBe('the cluster of /k');
    expect(find(kind, 'cluster')?.found).toBe('kind, in Docker');
    expect(find(everything, 'cluster')?.found).toBe('the native cluster, already built');
    expect(find({ ...named, kubeconfig: { path: '/k', exists: false } }, 'cluster')).toMatchObject({
      state: 'missing',
      found: '/k does not exist',
    });
  });

  it('looks at this machine without failing, wherever the cache is', async () => {
    const facts = await gatherFacts({ PATH: '', N8N_TUNED_CACHE: '/no/such/folder' });
    expect(facts.programs.k6).toBeNull();
    expect(facts.n8nVersions).toEqual([]);
    expect(facts.freeDiskMiB).toBeGreaterThan(0);
    expect(isReady(diagnose(facts))).toBe(false);
  });
});

describe('its table', () => {
  it('keeps to the width, whatever is said', () => {
    const long = {
      ...everything,
      programs: { ...programs, k6: { path: `/${'x'.repeat(150)}`, version: '1.9.0' } },
    };
    const lines = renderChecks(diagnose({ ...long, n8nVersions: [], isRoot: false }), 80);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.join('\n')).toContain('  missing n8n');
  });

  it('has one line a check where nothing is wrong, under a title for each purpose', () => {
    const checks = diagnose(everything);
    const lines = renderChecks(checks, 80).filter((line) => line !== '');
    expect(lines).toHaveLength(checks.length + new Set(checks.map(({ purpose }) => purpose)).size);
  });
});
