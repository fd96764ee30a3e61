import { RequestFigures } from '../../../../cli/src/analysis/requests/figures';
import { summarize, type RunFacts } from '../../../../cli/src/run/analysis/summarize';

test('a soak of days: more samples than a call can have arguments', () => {
  const facts: RunFacts = {
    measured: { fromMs: 5_000, toMs: 35_000 },
    loop: 'open',
    ...{ slos: [], executions: null, queueDrained: null },
    generator: { cpuCoresMean: 0.2, coresAvailable: 2, notSent: 0 },
  };
  const figures = new RequestFigures(facts);
  figures.add({
    ...{ tMs: 6_000, durationMs: 20, status: 200, ok: true, errorKind: '' },
    ...{ id: '1', workload: 'last-node', ranBy: '' },
  });
  const days = Array.from({ length: 200_000 }, (_, second) => ({
    ...{ tMs: 5_000 + second / 10, role: 'main', instance: 'main' },
    ...{ metric: 'rssMiB', value: 300 + (second % 500) },
  }));
  const { roles } = summarize(figures, days, facts);
  expect(roles[0]?.rssPeakMiB).toBe(799);
});
