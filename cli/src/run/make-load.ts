/** The load of a run, and all that look at each of its requests. */
import { BreachWatch, MissWatch, type Breached } from './analysis/breach';
import type { RequestsSeen } from '../analysis/requests/seen';
import { runK6 } from '../load/k6';
import type { LoadResult } from '../load/load';
import { openLimit } from '../../../loadtests/lib/open-limit';
import { PROFILES, type Profile } from '../../../loadtests/lib/profile';
import { FAULT, type RequestSample } from '../record/run-record';
import type { RunFolder, RunHead } from '../record/folder';
import type { Running } from '../targets/target';
import type { Progress } from '../ui/progress';
import type { CountWithin } from './count-within';
import type { LoadWatch, RunObserver, RunOrder } from './order';
import { sampleEveryMs, type Observations } from './samples';
import { counted, formatNumber } from '../ui/numbers';

export interface LoadContext {
  running: Running;
  order: RunOrder;
  head: RunHead;
  folder: RunFolder;
  requests: RequestsSeen;
  seen: Observations;
  within: CountWithin | null;
  observer: RunObserver | null;
  breach: BreachSeen | null;
  /** What may end the load besides a breach; null where nothing does. */
  watch: LoadWatch | null;
  progress: Progress;
  signal: AbortSignal;
}

export interface BreachSeen {
  readonly found: Breached | null;
  /** Whether requests were cut off when they may still have been in time: they are left out. */
  readonly cutsOff: boolean;
  see(sample: RequestSample): void;
}

/** Null for a load that does not end at the breach. */
export function untilBreach({ plan, slos, endsWhenMissed }: RunOrder): BreachSeen | null {
  const profile: Profile = PROFILES[plan.profile];
  if (profile.endsAtBreach === true) return new UntilBreach(new BreachWatch(slos), false);
  const isWatched = endsWhenMissed === true && plan.loop === 'open';
  return isWatched ? new UntilBreach(new MissWatch(slos, plan), true) : null;
}

/** Looks at every request, and keeps what it found. */
class UntilBreach implements BreachSeen {
  found: Breached | null = null;

  constructor(
    private readonly watch: Pick<BreachWatch, 'see'>,
    readonly cutsOff: boolean,
  ) {}

  see(sample: RequestSample): void {
    this.found ??= this.watch.see(sample);
  }
}

export async function makeLoad(scene: LoadContext): Promise<LoadResult> {
  const { running, order } = scene;
  const { plan } = order;
  const { figures } = scene.requests;
  let beganAtMs = Date.now();
  const totalSeconds = plan.warmupSeconds + plan.durationSeconds;
  const tell = (): void => {
    const seconds = Math.min(totalSeconds, (Date.now() - beganAtMs) / 1000);
    scene.progress(
      `${plan.profile}: ${formatNumber(Math.round(seconds))} of ${formatNumber(Math.round(totalSeconds))} s, ${counted(figures.expected, 'expected response')}, ${formatNumber(figures.requests - figures.expected)} unexpected`,
    );
  };
  const ticking = setInterval(tell, 1000);
  try {
    return await runK6({
      k6: order.k6,
      scripts: order.scripts,
      generators: running.generators,
      baseUrl: running.baseUrl,
      requests: running.addressed?.(order.workload.requests) ?? order.workload.requests,
      plan,
      runId: scene.head.id,
      timeoutMs: order.timeoutMs,
      drainMs: order.drainMs,
      maxOpen:
        order.generator?.maxOpen ?? openLimit(plan, order.timeoutMs, running.generators?.length),
      generatorCores: order.generator?.cores ?? null,
      signal: scene.signal,
      onBegin: (atMs) => {
        beganAtMs = atMs;
        scene.seen.begin(atMs);
        scene.within?.begin(atMs);
        scene.observer?.begin(atMs);
        order.onBegin?.(atMs, (event) => {
          scene.seen.event(event);
          if (event.kind === FAULT) scene.observer?.fault(event);
        });
      },
      onRequest: (sample) => {
        scene.folder.request(sample);
        scene.requests.add(sample);
        scene.breach?.see(sample);
        scene.watch?.see(sample);
        scene.observer?.request(sample);
      },
      behind: () => scene.folder.behind(),
      isEnough: () => (scene.breach?.found ?? scene.watch?.knownUntilMs ?? null) !== null,
      onUsage: (cpuCores, rssMiB) => {
        scene.seen.sample('generator', 'k6', 'cpuCores', cpuCores);
        scene.seen.sample('generator', 'k6', 'rssMiB', rssMiB);
        scene.observer?.usage(cpuCores, rssMiB);
      },
      onLost: (text) => {
        scene.seen.event({ kind: 'generator', text });
      },
      usageEveryMs: sampleEveryMs(plan),
    });
  } finally {
    clearInterval(ticking);
  }
}
