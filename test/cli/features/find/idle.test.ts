import {
  coresBetween,
  metricsSeen,
  IdleWatch,
  type Look,
} from '../../../../cli/src/features/find/rest';

const look = (latencyMs: number, more: Partial<Look> = {}): Look => ({
  latencyMs,
  cpuCores: null,
  ownShare: 0,
  jobs: null,
  ...more,
});

/** After how many looks it is idle; null where it never is. */
function idleAfter(watch: IdleWatch, looks: readonly Look[]): number | null {
  watch.begin();
  const at = looks.findIndex((one) => watch.isIdle(one));
  return at < 0 ? null : at + 1;
}

describe('a system that is seen from outside only', () => {
  test('is idle once its latency is back at its baseline, not after a fixed time', () => {
    const watch = new IdleWatch();
    expect(
      idleAfter(
        watch,
        [40, 22, 20, 21, 20, 20].map((ms) => look(ms)),
      ),
    ).toBe(5);
    const draining = [900, 700, 450, 200, 90, 40, 21, 20, 22];
    expect(
      idleAfter(
        watch,
        draining.map((ms) => look(ms)),
      ),
    ).toBe(9);
  });

  test('is not idle while it is slow all the time', () => {
    const watch = new IdleWatch();
    idleAfter(
      watch,
      [20, 20, 20, 20, 20].map((ms) => look(ms)),
    );
    expect(
      idleAfter(
        watch,
        Array.from({ length: 40 }, () => look(300)),
      ),
    ).toBeNull();
  });

  test('is not idle while its metrics show work or jobs', () => {
    const watch = new IdleWatch();
    expect(
      idleAfter(
        watch,
        Array.from({ length: 9 }, () => look(20, { cpuCores: 0.9 })),
      ),
    ).toBeNull();
    expect(
      idleAfter(
        watch,
        Array.from({ length: 9 }, () => look(20, { jobs: 12 })),
      ),
    ).toBeNull();
    const done = look(20, { cpuCores: 0.02, jobs: 0 });
    expect(idleAfter(watch, [done, done, done])).toBe(3);
  });

  test('is idle where only these looks use its CPU, and busy where more does', () => {
    const watch = new IdleWatch();
    const alone = Array.from({ length: 9 }, (_, index) =>
      look(120, { ownShare: 0.22, cpuCores: index % 2 === 0 ? 0.22 : 0.26 }),
    );
    expect(idleAfter(watch, alone)).toBe(5);
    expect(idleAfter(watch, alone)).toBe(3);
    const working = Array.from({ length: 40 }, () => look(120, { ownShare: 0.22, cpuCores: 0.5 }));
    expect(idleAfter(watch, [...working, ...alone])).toBe(42);
  });
});

test("n8n's metrics give CPU between two looks, and jobs", () => {
  const text = (cpu: number, waiting: number): string =>
    `# TYPE n8n_process_cpu_seconds_total counter
n8n_process_cpu_seconds_total ${String(cpu)}
n8n_process_cpu_user_seconds_total 1
n8n_scaling_mode_queue_jobs_waiting ${String(waiting)}
n8n_scaling_mode_queue_jobs_active 2
n8n_scaling_mode_queue_jobs_completed 99
`;
  const before = metricsSeen([text(10, 5), ''], 1_000);
  const now = metricsSeen([text(10.5, 0), ''], 2_000);
  expect(before.jobs).toBe(7);
  expect(coresBetween(before, now)).toBeCloseTo(0.5, 9);
  expect(coresBetween(null, now)).toBeNull();
  expect(metricsSeen([''], 0)).toEqual({ atMs: 0, cpuSeconds: null, jobs: null });
});
