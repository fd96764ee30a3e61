/** A run of a week with the stand-in for k6, and its report made again: the whole command but for its target. */
import { findBundled } from '../../../../cli/src/lab/kit';
import { chooseWorkload } from '../../../../cli/src/plan/chosen-workload';
import { planOf } from '../../../../loadtests/lib/profile';
import { parseSlos } from '../../../../loadtests/lib/slo';
import { measure } from '../../../../cli/src/run/run';
import { readRunData } from '../../../../cli/src/run/read';
import { writeBeside } from '../../../../cli/src/record/write-beside';
import { reportFiles } from '../../../../cli/src/report/files';
import { runDocument } from '../../../../cli/src/run/report/document';
import { thisMachine } from '../../../../cli/src/targets/machine';
import type { Running } from '../../../../cli/src/targets/target';

const WEEK_SECONDS = 7 * 86_400;
/** The latency of the stand-in: what is exponential above 5 ms with a mean of 40 ms, and 0.125 ms of lateness. */
const exactMs = (share: number): number =>
  Math.round(1000 * (5.125 - 40 * Math.log(1 - share))) / 1000;

const nothing = (): Promise<void> => Promise.resolve();
const unknown = (): Promise<null> => Promise.resolve(null);

/** A target that is not there, in which a process ends two seconds into the load. */
const running: Running = {
  kind: 'url',
  baseUrl: 'http://127.0.0.1:9',
  topology: null,
  versions: {},
  machine: thisMachine(),
  processes: () => [],
  metrics: [],
  redis: null,
  postgresql: null,
  logs: [],
  onEvent: (listener) => {
    const timer = setTimeout(() => {
      listener({ kind: 'exit', text: 'worker-1 ended: signal SIGKILL' });
    }, 2000);
    return () => {
      clearTimeout(timer);
    };
  },
  seed: nothing,
  ready: nothing,
  executions: unknown,
  traceExecutions: unknown,
  down: nothing,
};

/** Milliseconds. */
interface Quantile {
  measured: number;
  exact: number;
}

export interface Week {
  folder: string;
  problems: string[];
  offered: number;
  errors: number;
  p50: Quantile;
  p95: Quantile;
  p99: Quantile;
  inFlightAtExit: number | undefined;
}

/** Records the same as a soak of a week, which differs from a shorter run in its rate alone. */
export async function recordWeek(out: string, k6: string, requests: number): Promise<Week> {
  const workflows = findBundled('workflows', 'catalogue.json');
  const { folder, data, problems } = await measure(
    running,
    {
      workload: chooseWorkload({ request: 'GET /x' }, workflows, null),
      plan: planOf('soak', {
        ratePerSecond: requests / WEEK_SECONDS,
        durationSeconds: WEEK_SECONDS,
        warmupSeconds: 0,
      }),
      slos: parseSlos('p95<200ms,errors<2%'),
      out,
      k6,
      scripts: 'nowhere',
      timeoutMs: 60_000,
      drainMs: 1000,
      command: ['run'],
    },
    () => undefined,
    new AbortController().signal,
  );
  const { summary, events } = data.record;
  const { latencyMs, errors, offered } = summary;
  const quantile = (measured: number | undefined, share: number): Quantile => ({
    measured: Math.round(1000 * (measured ?? NaN)) / 1000,
    exact: exactMs(share),
  });
  return {
    folder,
    problems,
    offered: offered.requests,
    errors: errors.requests,
    p50: quantile(latencyMs?.p50, 0.5),
    p95: quantile(latencyMs?.p95, 0.95),
    p99: quantile(latencyMs?.p99, 0.99),
    inFlightAtExit: events.find(({ kind }) => kind === 'exit')?.inFlight,
  };
}

export async function reportAgain(folder: string): Promise<{ problems: string[] }> {
  const data = await readRunData(folder);
  return { problems: writeBeside(folder, reportFiles(runDocument(data))) };
}
