import { spawnSync } from 'node:child_process';
import { lookAtMachine } from '../../../../../cli/src/features/find/quiet/look';
import { addedUp, type StrangersLook } from '../../../../../cli/src/linux/strangers';
import {
  disturbances,
  type MachineLook,
} from '../../../../../cli/src/features/find/quiet/disturbances';
import {
  awaitQuiet,
  isMeasuredHere,
  quietHere,
} from '../../../../../cli/src/features/find/quiet/quiet';

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
      'also by many short processes of one program',
      { usedCores: 1.2, busiest: [{ ...bash, processes: 12 }] },
      "Of this machine's 4 cores, bash (12 processes) uses 1.2: the measured capacity will be lower than on a quiet machine.",
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

describe('looks at other processes, one after the other,', () => {
  const look = (...busiest: [pid: number, name: string, cores: number][]): StrangersLook => ({
    passedMs: 1_000,
    cpuMs: busiest.reduce((sum, [, , cores]) => sum + 1_000 * cores, 0),
    busiest: busiest.map(([pid, name, cores]) => ({ pid, name, cores, isNice: false })),
  });

  it('are added up by process, and those that were there only for a short time by their name', () => {
    const seen = addedUp([
      look([1, 'spin', 0.5], [2, 'tsc', 0.9]),
      look([1, 'spin', 0.5], [3, 'tsc', 0.8], [4, 'cc', 0.1]),
      look([1, 'spin', 0.5], [5, 'tsc', 0.9]),
      look([1, 'spin', 0.5]),
    ]);
    expect(seen).toMatchObject({ passedMs: 4_000, cpuMs: 4_700 });
    expect(seen.busiest).toEqual([
      {
        ...{ pid: 2, name: 'tsc', isNice: false, processes: 3 },
        cores: expect.closeTo(0.65, 6) as number,
      },
      { pid: 1, name: 'spin', cores: expect.closeTo(0.5, 6) as number, isNice: false },
      { pid: 4, name: 'cc', cores: expect.closeTo(0.025, 6) as number, isNice: false },
    ]);
  });

  it('leave processes of one name that stay apart', () => {
    const one = look([1, 'node', 0.5], [2, 'node', 0.4]);
    expect(addedUp([one, one]).busiest.map(({ pid }) => pid)).toEqual([1, 2]);
  });

  it('are nothing without any', () => {
    expect(addedUp([])).toEqual({ passedMs: 0, cpuMs: 0, busiest: [] });
  });
});

test('a program of many short processes is named by the look at this machine', async () => {
  // It works like a compiler: each takes some tenths of a second. It is no child of this process, which would be no stranger.
  const short = `const { spawnSync } = require('node:child_process');
    for (;;) spawnSync(process.execPath, ['-e', 'for (const end = Date.now() + 300; Date.now() < end;);']);`;
  const begun = spawnSync('sh', [
    '-c',
    '"$0" -e "$1" >/dev/null 2>&1 & echo $!',
    process.execPath,
    short,
  ]);
  try {
    const { busiest } = await lookAtMachine(new AbortController().signal, 3_000);
    // Other tests that run meanwhile have programs of their own, at low priority.
    const named = busiest.filter(
      ({ name, isNice, processes = 0 }) => name === 'node' && !isNice && processes > 1,
    );
    expect(named).toHaveLength(1);
  } finally {
    process.kill(Number(begun.stdout.toString()), 'SIGKILL');
  }
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
      "this machine is not quiet, so no load was generated. Of this machine's 4 cores, bash (pid 4711) uses 1.2: the measured capacity will be lower than on a quiet machine. Stop these programs if you can, wait with --wait-for-quiet 10m, or measure anyway with --anyway.",
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
    await expect(never).rejects.toThrow('not quiet, even after 20 s, so no load was generated');
  });

  it('is looked at only where something is measured on it', async () => {
    const choice = { waitSeconds: 0, anyway: false };
    const elsewhere = [{ kind: 'url', url: 'https://n8n.test' }, { kind: 'kubernetes' }] as const;
    expect(await quietHere(elsewhere, choice)).toBeNull();
    const urls = ['http://localhost:5678', 'http://127.0.0.1:5678/', 'https://n8n.test'];
    expect(urls.map((url) => isMeasuredHere({ kind: 'url', url }))).toEqual([true, true, false]);
  });

  it('goes on where the user says so, and tells all the same', async () => {
    const before = await awaitQuiet({ waitSeconds: 0, anyway: true }, looking(busy).hands);
    expect(before.othersCores).toBe(1.2);
    expect(before.disturbances).toEqual([expect.stringContaining('bash')]);
    expect(said).toContain("n8n-tuned: Of this machine's 4 cores, bash");
  });
});
