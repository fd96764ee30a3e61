import {
  ofWorkload,
  implied,
} from '../../../../../cli/src/features/recommend/analysis/choose-evidence';
import { workloadName } from '../../../../../cli/src/plan/chosen-workload';
import { parse } from 'yaml';
import { uslRate } from '../../../../../cli/src/features/predict/analysis/usl';
import { parseSlos } from '../../../../../loadtests/lib/slo';
import { priceOf, recommend } from '../../../../../cli/src/features/recommend/analysis/recommend';
import { sizingFor } from '../../../../../cli/src/features/recommend/analysis/sizing';
import { valuesYaml } from '../../../../../cli/src/features/recommend/values';
import { queue, regular } from '../evidence';

interface Values {
  executions: { mode: string };
  worker?: { replicas: number; concurrency: number };
  main: { resources: { requests: { cpu: string; memory: string }; limits: object } };
}

function best(
  evidence: Parameters<typeof recommend>[0],
  rate: number,
  prices?: Parameters<typeof recommend>[2],
) {
  const found = recommend(evidence, rate, prices);
  if (found === null) throw new Error('nothing is recommended');
  return found;
}

const law = { g: 30, a: 0.08, b: 0.004 };
const measuredLaw = [1, 2, 3, 4].map((n) => queue(n, uslRate(law, n)));

describe('what is recommended', () => {
  test('sustains the rate with 20% to spare, and no more is planned with', () => {
    expect(recommend([regular(50)], 40)).not.toBeNull();
    expect(recommend([regular(50)], 40.5)).toBeNull();
  });

  test('is the cheapest of what was measured to do', () => {
    const fast = { ...regular(90).topology, tuning: 'io-bound' as const };
    const all = [queue(2, 80), regular(60), regular(90, { source: 'fast', topology: fast })];
    const { best: chosen, others } = best(all, 40);
    expect(chosen.evidence.source).toBe('fast');
    expect(others.map(({ evidence }) => evidence.source)).toEqual([
      'search-regular',
      'search-queue-2',
    ]);
  });

  test('does not rest on the luckiest of repeated searches', () => {
    const repeated = [58, 40, 49].map((rate, i) =>
      regular(rate, { source: `search-${String(i)}` }),
    );
    expect(best(repeated, 39).best.evidence.capacityPerSecond).toBe(49);
    expect(recommend(repeated, 40)).toBeNull();
    expect(recommend(repeated.slice(0, 2), 33)).toBeNull();
  });

  test('follows the prices', () => {
    const little = regular(60, { source: 'much memory' });
    if (little.at !== null)
      little.at.roles = little.at.roles.map((one) => ({
        ...one,
        rssPeakMiB: 4000,
        cpuCoresMean: 0.1,
      }));
    const other = { ...regular(60).topology, tuning: 'io-bound' as const };
    const all = [little, regular(60, { source: 'much CPU', topology: other })];
    expect(best(all, 40, { cpu: 1, memory: 0.001 }).best.evidence.source).toBe('much memory');
    expect(best(all, 40, { cpu: 0.001, memory: 1 }).best.evidence.source).toBe('much CPU');
  });

  test('has a price made of its cores and its memory', () => {
    const sizing = sizingFor(regular(100), [], 80);
    // 1.1 cores at 100/s are 0.88 at 80/s, and 1.1 with 20% to spare.
    expect(sizing?.cost).toEqual({ cores: 1.1, memoryGiB: 1 });
    expect(sizing && priceOf(sizing, { cpu: 10, memory: 2 })).toBeCloseTo(13, 6);
  });
});

describe('the memory of a role', () => {
  const three = queue(3, 80);
  const memoryOf = (ofWorker: object) => {
    const roles = three.at?.roles.map((one) =>
      one.role === 'worker' ? { ...one, rssPeakMiB: 2_700, ...ofWorker } : one,
    );
    const at = three.at && { ...three.at, roles: roles ?? [] };
    return sizingFor({ ...three, at }, [], 40)?.roles.find(({ role }) => role === 'worker');
  };

  test('is that of the instance that had the most, as each instance gets this limit', () => {
    const worker = memoryOf({ rssPeakOfOneMiB: 1_500 });
    // 1.3 x (1,500 MiB and 140 MiB of its runner), rounded up.
    expect(worker?.memoryMiB).toBe(2_176);
    expect(worker?.why.memory).toMatch(/^peak of 1,640 MiB in probes/);
  });

  test('is the average in records that know no more, and its comment says so', () => {
    const worker = memoryOf({});
    expect(worker?.memoryMiB).toBe(1_408);
    expect(worker?.why.memory).toMatch(
      /^peak of 1,040 MiB in probes\/queue-3, an average over 3 instances that may hide a larger one, times 1\.3/,
    );
  });
});

describe('more workers than were measured', () => {
  test('come from the scalability law where four sizes were', () => {
    const sizing = best(measuredLaw, 80).best;
    expect(sizing.basis).toBe('law');
    expect(uslRate(law, sizing.workers)).toBeGreaterThan(80 / 0.8);
    expect(uslRate(law, sizing.workers - 1)).toBeLessThan(80 / 0.8);
    expect(sizing.workersWhy).toContain('this rate was not measured, so prove it');
  });

  test('are refused where the law says that no number of them will do', () => {
    expect(recommend(measuredLaw, 1000)).toBeNull();
  });

  test('are marked as without evidence where it is only a proportion, and end at three times', () => {
    const sizing = best([queue(1, 30)], 60).best;
    expect(sizing).toMatchObject({ basis: 'proportion', workers: 3 });
    expect(sizing.workersWhy).toMatch(
      /^WITHOUT EVIDENCE: in proportion .* needs 4 different sizes/,
    );
    expect(recommend([queue(1, 30)], 100)).toBeNull();
  });

  test('come after whatever was measured, however dear that is', () => {
    expect(best([queue(1, 30), queue(4, 90)], 60).best).toMatchObject({
      basis: 'measured',
      workers: 4,
    });
  });
});

describe('values.yaml', () => {
  test('says what was recommended, each value with its evidence above it', () => {
    const text = valuesYaml(best([queue(2, 80)], 40));
    const values = parse(text) as Values;
    expect(values.executions.mode).toBe('queue');
    expect(values.worker).toMatchObject({ replicas: 2, concurrency: 10 });
    expect(values.main.resources.requests.cpu).toBe('350m');
    const lines = text.split('\n');
    const above = (key: string): string | undefined =>
      lines[lines.findIndex((line) => line.trim().startsWith(key)) - 1]?.trim();
    for (const key of [
      'mode:',
      'type:',
      'poolSize:',
      'profile:',
      'replicas:',
      'concurrency:',
      'cpu:',
      'memory:',
      'maxReplicas:',
      'image:',
    ])
      expect(`${key} ${above(key) ?? ''}`).toMatch(/: # ./);
    expect(above('replicas:')).toBe('# 2 workers sustained 80/s in search-queue-2');
    expect(above('cpu:')).toContain('0.5 cores at 80/s in probes/queue-2');
  });

  test('has no value that this n8n would not take', () => {
    const evidence = queue(2, 80);
    const of = (n8n: string): string =>
      valuesYaml(best([{ ...evidence, topology: { ...evidence.topology, n8n } }], 40));
    expect(of('2.22.0')).toContain('peakRatePerSecond: 40');
    expect(of('2.21.9')).not.toContain('peakRatePerSecond');
  });

  test('says so where there is no evidence', () => {
    const text = valuesYaml(
      best([regular(50, { at: null, topology: { ...regular(50).topology, tuning: 'none' } })], 40),
    );
    expect(text).toMatch(
      /# no evidence: search-regular has no resource usage of main\n {2}resources: \{\}/,
    );
    expect(text).toMatch(/# no evidence: search-regular measured n8n without any tuning/);
  });

  test('says with which pools of connections was measured', () => {
    expect(valuesYaml(best([queue(1, 50)], 40))).toContain(
      'computed from the concurrency, as in search-queue-1, where the size was 13 in main and 10 in worker\n  poolSize: null',
    );
    const evidence = queue(1, 50);
    const untuned = { ...evidence, topology: { ...evidence.topology, tuning: 'none' as const } };
    expect(valuesYaml(best([untuned], 40))).toMatch(
      /# no evidence: search-queue-1 used n8n's default pool size;.*\n {2}poolSize: null/,
    );
  });

  test('says what came of its proof', () => {
    const proof = 'PROVEN by proof/1: it was sustained';
    const text = valuesYaml(best([regular(60)], 40), { keeping: null, proof });
    expect(text.split('\n')[2]).toBe('# PROVEN by proof/1: it was sustained');
    expect(parse(text)).toEqual(parse(valuesYaml(best([regular(60)], 40))));
  });

  test('names the rate to three digits like every other number, however it was computed', () => {
    const text = valuesYaml(best([regular(60)], 0.8 * 26.3));
    expect(text).toMatch(
      /^# Written by n8n-tuned recommend.\n# Checksum, .*\n# These values are for 21 requests per second/,
    );
  });

  test('names the alternatives and what it costs', () => {
    const text = valuesYaml(best([queue(2, 80), regular(60)], 40));
    expect(text).toMatch(
      /^# Written by n8n-tuned recommend.\n# Checksum, .*\n# These values are for 40 requests per second of last-node with p95<1s, errors<1%\.\n/,
    );
    expect(text).toContain('# The values cost ');
    expect(text).toContain(
      '# Alternative: queue mode, 2 workers, throughput tuning, from search-queue-2',
    );
  });
});

describe('evidence under an SLO', () => {
  const under = (known: string, wanted: string): boolean =>
    implied(parseSlos(known), wanted === '' ? [] : parseSlos(wanted));
  test.each([
    ['p95<1s,errors<1%', 'p95<1s', true],
    ['p95<500ms', 'p95<1s', true],
    ['p95<2s', 'p95<1s', false],
    ['errors<1%', 'p95<1s', false],
    ['throughput>=99%', 'throughput>=95%', true],
    ['backlog=0', 'backlog=0', true],
    ['p95<1s', '', true],
  ])('%s tells about %s: %s', (known, wanted, answer) => {
    expect(under(known, wanted)).toBe(answer);
  });
});

describe("requests of the user's own", () => {
  const order = workloadName({ name: 'request', title: 'POST /webhook/order' });
  const invoice = workloadName({ name: 'request', title: 'POST /webhook/invoice' });
  const searches = [regular(40, { workload: order }), regular(90, { workload: invoice })];

  test('are told apart by what they ask', () => {
    expect(ofWorkload(searches, order, ['results'])).toEqual([searches[0]]);
  });

  test('must be named where there are several', () => {
    expect(() => ofWorkload(searches, undefined, ['results'])).toThrow(
      '--from contains searches with several workloads (POST /webhook/order, POST /webhook/invoice)',
    );
  });
});
