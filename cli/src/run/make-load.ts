/** The load of a run, and all that look at each of its requests. */
import { BreachWatch, type Breached } from './analysis/breach';
import type { RequestsSeen } from '../analysis/requests/seen';
import { runK6 } from '../load/k6';
import type { LoadResult } from '../load/load';
import { openLimit } from '../../../loadtests/lib/open-limit';
import { PROFILES, type Profile } from '../../../loadtests/lib/profile';
import type { Slo } from '../../../loadtests/lib/slo';
import { FAULT, type RequestSample } from '../record/run-record';
import type { RunFolder, RunHead } from '../record/folder';
import type { Running } from '../targets/target';
import type { Progress } from '../ui/progress';
import type { CountWithin } from './count-within';
import type { RunObserver, RunOrder } from './order';
import { sampleEveryMs, type Observations } from './samples';
import { formatNumber } from '../ui/numbers';

export interface LoadContext {
  running: Running;
  order: RunOrder;
  head: RunHead;
  folder: RunFolder;
  requests: RequestsSeen;
  seen: Observations;
  within: CountWithin | null;
  observer: RunObserver | null;
  breach: { readonly found: Breached | null; see(sample: RequestSample): void } | null;
  progress: Progress;
  signal: AbortSignal;
}

/** Null for a load profile that does not end at the breach. */
export function untilBreach({ plan, slos }: RunOrder): LoadContext['breach'] {
  const profile: Profile = PROFILES[plan.profile];
  return profile.endsAtBreach === true ? new UntilBreach(slos) : null;
}

/** For a load profile that ends at the breach: looks at every request, and keeps what it found. */
class UntilBreach {
  found: Breached | null = null;
  private readonly watch: BreachWatch;

  constructor(slos: readonly Slo[]) {
    this.watch = new BreachWatch(slos);
  }

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
      `${plan.profile}: ${formatNumber(Math.round(seconds))} of ${formatNumber(Math.round(totalSeconds))} s, ${formatNumber(figures.expected)} as expected, ${formatNumber(figures.requests - figures.expected)} not`,
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
        scene.observer?.request(sample);
      },
      behind: () => scene.folder.behind(),
      isEnough: () => (scene.breach?.found ?? null) !== null,
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
