import {
  disturbances,
  type MachineLook,
} from '../../../../../cli/src/features/find/quiet/disturbances';
import { awaitQuiet, quietHere } from '../../../../../cli/src/features/find/quiet/quiet';

const quiet: MachineLook = {
  ...{ cores: 4, usedCores: 0.3, busiest: [], stealShare: 0.01, stoppedShare: null },
  ...{ diskShare: 0.05, isOnBattery: false, clockMHz: { low: 2_900, high: 3_000 } },
};

const bash = { pid: 4711, name: 'bash', cores: 1.2, isNice: false };

describe('what disturbs a search', () => {
  it('is nothing on a quiet machine, nor where little is known of it', () => {
    expect(disturbances(quiet)).toEqual([]);
    expect(disturbances({ ...quiet, clockMHz: null, usedCores: 0.8 })).toEqual([]);
  });

  const rows: [string, Partial<MachineLook>, string][] = [
    [
      'more than a fifth of the cores in use, by whom',
      { usedCores: 1.5, busiest: [bash] },
      "Of this machine's 4 cores, bash (pid 4711) uses 1.2 and others use 0.3: the measured capacity will be lower than on a quiet machine.",
    ],
    [
      'also at low priority',
      { usedCores: 1.2, busiest: [{ ...bash, isNice: true }] },
      "Of this machine's 4 cores, bash (pid 4711, at low priority) uses 1.2: the measured capacity will be lower than on a quiet machine.",
    ],
    [
      'also by what cannot be seen',
      { usedCores: 2 },
      "Of this machine's 4 cores, an unknown program uses 2: the measured capacity will be lower than on a quiet machine.",
    ],
    ['stolen time', { stealShare: 0.08 }, 'gives 8% of the CPU time to other machines'],
    ['a CPU limit', { stoppedShare: 0.3 }, 'throttles it in 30% of all periods, even without load'],
    ['a busy disk', { diskShare: 0.412 }, 'keeps a disk busy for 41.2% of the time'],
    ['a battery', { isOnBattery: true }, 'runs on battery'],
    ['a clock that moves', { clockMHz: { low: 1_400, high: 3_400 } }, 'between 1.4 and 3.4 GHz'],
  ];

  it.each(rows)('is %s, and what that does to the answer', (_, seen, text) => {
    const found = disturbances({ ...quiet, ...seen });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(text);
    expect(found[0]).toMatch(/[:,] .*(capacity|interval).*\.$/);
  });
});

describe('before a search', () => {
  const busy: MachineLook = { ...quiet, usedCores: 1.2, busiest: [bash] };
  const { signal } = new AbortController();

  /** Looks of five seconds each, one after the other; the last is repeated. */
  function looking(...looks: MachineLook[]) {
    let made = 0;
    const told: string[] = [];
    const hands = {
      signal,
      tell: (text: string) => told.push(text),
      nowMs: () => 5_000 * made,
      look: () => {
        const look = looks[Math.min(made, looks.length - 1)] ?? quiet;
        made += 1;
        return Promise.resolve(look);
      },
    };
    return { hands, told, made: () => made };
  }

  let said = '';
  beforeEach(() => {
    said = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('a quiet machine is looked at once', async () => {
    const { hands, made } = looking(quiet);
    const before = await awaitQuiet({ waitSeconds: 600, anyway: false }, hands);
    expect(before).toEqual({ othersCores: 0.3, disturbances: [] });
    expect(made()).toBe(1);
  });

  it('a busy one is refused in a sentence that says who it is and what to do', async () => {
    const refused = awaitQuiet({ waitSeconds: 0, anyway: false }, looking(busy).hands);
    await expect(refused).rejects.toThrow(
      "this machine is not quiet, so no load was generated. Of this machine's 4 cores, bash (pid 4711) uses 1.2: the measured capacity will be lower than on a quiet machine. Stop these programs, wait with --wait-for-quiet 10m, or measure anyway with --anyway.",
    );
  });

  it('is waited for as long as asked, and begins as soon as it is quiet', async () => {
    const { hands, told, made } = looking(busy, busy, quiet);
    await awaitQuiet({ waitSeconds: 600, anyway: false }, hands);
    expect(made()).toBe(3);
    expect(told).toContainEqual(
      expect.stringMatching(/^waiting until this machine is quiet: .*bash/),
    );
    const never = awaitQuiet({ waitSeconds: 20, anyway: false }, looking(busy).hands);
    await expect(never).rejects.toThrow('not quiet, also after 20 s, so no load was generated');
  });

  it('is looked at only where something is measured on it', async () => {
    const choice = { waitSeconds: 0, anyway: false };
    expect(await quietHere(['url', 'kubernetes'], choice)).toBeNull();
  });

  it('goes on where the user says so, and tells all the same', async () => {
    const before = await awaitQuiet({ waitSeconds: 0, anyway: true }, looking(busy).hands);
    expect(before.othersCores).toBe(1.2);
    expect(before.disturbances).toEqual([expect.stringContaining('bash')]);
    expect(said).toContain("n8n-tuned: Of this machine's 4 cores, bash");
  });
});
