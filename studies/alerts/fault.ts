// One fault on a release of its own, with the alerts that it causes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DrillRecord } from '../../cli/src/features/drill/record';
import { NotMeasured, type Measuring } from '../../cli/src/features/study/study';
import type { RunRecord } from '../../cli/src/record/run-record';
import { alertsWithin, namesContainers, scraped, type Time } from './alerts';
import { STEADY_SECONDS, type FaultPart } from './faults';
import { asked, startWatching } from './prometheus';
import {
  deploy,
  emptyNamespace,
  endN8n,
  existing,
  figuresOf,
  monitorsOf,
  removeNamespace,
  scale,
  VALUES,
} from './release';

const WARMUP_SECONDS = 10;
const READY_MS = 45_000;
/** There was no fault, something was wrong already before it, or the machine had too much to do. */
const SPOILED =
  /the fault could not be made|the SLO was missed before the fault|the load generator was at fault/;
/** Until the load has begun. */
const PATIENCE_MS = 300_000;
const LOOK_EVERY_MS = 3_000;
const replicasOf = (what: string): number =>
  what === 'deployment/n8n-worker' ? VALUES.worker.replicas : 1;

/** A part that is made on a release in a namespace. */
interface Making {
  part: FaultPart;
  namespace: string;
  /** The address of Prometheus. */
  url: string;
  measuring: Measuring;
}

interface Made extends Time {
  faultMs: number;
  machine: RunRecord['machine'] | undefined;
  versions: Record<string, string> | undefined;
  made: { afterSeconds: number; text: string }[];
  load: object;
  drill?: object;
}

export async function watchFault(part: FaultPart, measuring: Measuring) {
  const namespace = `n8n-watch-${part.name}`;
  let prometheus: Awaited<ReturnType<typeof startWatching>> | undefined;
  try {
    await emptyNamespace(namespace);
    const monitors = await monitorsOf(namespace);
    const { url, version } = (prometheus = await startWatching({ [namespace]: monitors }));
    const make = part.drill === undefined ? bySteps : byDrill;
    const { fromMs, toMs, faultMs, versions, ...told } = await make({
      ...{ part, namespace, url, measuring },
    });
    const { groups } = monitors;
    const of = (time: Time) => alertsWithin(url, { namespace, groups, ...time });
    const before = await of({ fromMs, toMs: faultMs });
    return {
      startedAt: new Date(fromMs).toISOString(),
      watchedSeconds: Math.round((toMs - faultMs) / 1000),
      ...{ ...told, versions: { ...versions, prometheus: version } },
      scraped: await scraped(url, namespace, { fromMs, toMs: faultMs }),
      namesContainers: await namesContainers(url, namespace, { fromMs, toMs }),
      before: before
        .filter(({ pending, firing }) => pending !== null || firing !== null)
        .map(({ alert }) => alert),
      alerts: await of({ fromMs: faultMs, toMs }),
    };
  } finally {
    await prometheus?.stop();
    measuring.tell(`removing ${namespace}`);
    await removeNamespace(namespace);
  }
}

/** `n8n-tuned drill` deploys, makes the fault under load, accounts for every request and removes. */
async function byDrill({ part, namespace, measuring }: Making): Promise<Made> {
  const { call, scratch, tell } = measuring;
  const values = join(scratch, 'values.json');
  writeFileSync(values, JSON.stringify(VALUES));
  tell(`drill ${part.drill ?? ''}`);
  const { record } = await call<DrillRecord & { folder: string }>([
    ...['drill', part.drill ?? '', '--target', 'kubernetes', '--namespace', namespace, '--yes'],
    ...['--values', values, '--workload', part.workload, '--param', part.param ?? ''],
    // Latency on a small machine while Prometheus watches is no matter of the alerts.
    ...['--rate', String(part.ratePerSecond), '--slo', 'errors<1%'],
    ...['--no-control', '--wait', '60s', '--warmup', `${String(WARMUP_SECONDS)}s`],
    ...['--steady', `${String(STEADY_SECONDS - WARMUP_SECONDS)}s`],
    ...(part.lastsSeconds === 0 ? [] : ['--for', `${String(part.lastsSeconds)}s`]),
    ...['--after', `${String(part.afterSeconds)}s`, '--ready', '300s', '--out', scratch],
  ]);
  const { fault, phases, ledger, verdict, folder, machine, versions } = record;
  const { faultMs } = phases;
  if (faultMs === null || verdict.invalid.some((why) => SPOILED.test(why))) {
    throw new NotMeasured(verdict.sentence);
  }
  const run = JSON.parse(readFileSync(join(folder, record.run, 'run.json'), 'utf8')) as RunRecord;
  const fromMs = Date.parse(run.loadBeganAt ?? '');
  return {
    ...{ fromMs, faultMs: fromMs + faultMs, toMs: fromMs + phases.endMs },
    ...{ machine, versions },
    made: fault.done.map(({ tMs, text }) => ({
      afterSeconds: Math.round((tMs - faultMs) / 1000),
      // Names of pods are no use later.
      text: text.replace(/-[a-z0-9]{6,10}-[a-z0-9]{5}\b/g, ''),
    })),
    load: { workload: part.workload, plannedPerSecond: part.ratePerSecond, ...figuresOf(run) },
    drill: {
      ...{ outcome: verdict.outcome, sentence: verdict.sentence },
      ...{ sent: ledger.sent, lost: ledger.lost, exposed: ledger.exposed },
    },
  };
}

/** The run reads the stores as well, and may fail with them: the alerts are what counts here. */
type Loaded = RunRecord | { failure: string };

async function bySteps({ part, namespace, url, measuring }: Making): Promise<Made> {
  const { call, scratch, signal, tell } = measuring;
  tell(`deploying into ${namespace}`);
  await deploy(namespace, part.values);
  await sleep(READY_MS, undefined, { signal });
  const seconds = STEADY_SECONDS + part.lastsSeconds + part.afterSeconds;
  tell(`${part.workload} at ${String(part.ratePerSecond)} per second for ${String(seconds)} s`);
  const ends = new AbortController();
  const loading: Promise<Loaded> = call<RunRecord>(
    existing(
      namespace,
      ...['--workload', part.workload, '--rate', String(part.ratePerSecond)],
      ...['--warmup', `${String(WARMUP_SECONDS)}s`],
      ...['--duration', `${String(seconds - WARMUP_SECONDS)}s`, '--out', scratch],
    ),
    { signal: ends.signal },
  ).then(
    ({ record }) => record,
    (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
  );
  try {
    const made: Made['made'] = [];
    let loadedMs: number | null = null;
    if (part.scale !== undefined || part.end !== undefined) {
      await Promise.race([
        loaded(url, namespace, part, AbortSignal.any([signal, ends.signal])),
        loading,
      ]);
      const sinceMs = (loadedMs = Date.now());
      const say = (text: string): void => {
        tell(text);
        made.push({ afterSeconds: Math.round((Date.now() - sinceMs) / 1000), text });
      };
      await (part.scale === undefined ? endAgainAndAgain : scaleAway)(part, {
        ...{ namespace, say },
        wait: (duration) => sleep(duration * 1000, undefined, { signal }),
      });
    }
    const run = await loading;
    signal.throwIfAborted();
    const beganMs = 'failure' in run ? loadedMs : Date.parse(run.loadBeganAt ?? '');
    if (beganMs === null) throw new NotMeasured('failure' in run ? run.failure : 'no load began');
    const { machine, versions } = 'failure' in run ? NOTHING : run;
    return {
      ...{ fromMs: Math.min(beganMs, loadedMs ?? beganMs), faultMs: loadedMs ?? beganMs },
      ...{ toMs: Date.now(), made, machine, versions },
      load: {
        ...{ workload: part.workload, plannedPerSecond: part.ratePerSecond },
        ...('failure' in run ? run : figuresOf(run)),
      },
    };
  } finally {
    ends.abort();
    await loading;
  }
}
const NOTHING = { machine: undefined, versions: undefined };

interface Steps {
  namespace: string;
  say: (text: string) => void;
  wait: (seconds: number) => Promise<void>;
}

async function scaleAway(
  { scale: what = '', lastsSeconds }: FaultPart,
  { namespace, say, wait }: Steps,
): Promise<void> {
  const to = async (replicas: number): Promise<void> => {
    say(`${what} scaled to ${String(replicas)}`);
    await scale(namespace, what, replicas);
  };
  await to(0);
  await wait(lastsSeconds);
  await to(replicasOf(what));
}

async function endAgainAndAgain(
  { end = '', times = 1, lastsSeconds }: FaultPart,
  { namespace, say, wait }: Steps,
): Promise<void> {
  for (let time = 1; time <= times; time += 1) {
    say(`n8n of ${end} told to end, time ${String(time)}`);
    await endN8n(namespace, end);
    await wait(lastsSeconds / times);
  }
}

/** Until Prometheus has seen ten seconds of the load. */
async function loaded(
  url: string,
  namespace: string,
  { ratePerSecond }: FaultPart,
  signal: AbortSignal,
): Promise<void> {
  const query = `sum(n8n_webhook_request_duration_seconds_count{namespace="${namespace}"})`;
  for (const untilMs = Date.now() + PATIENCE_MS; Date.now() < untilMs;) {
    const { result } = await asked<{ result: { value: [number, string] }[] }>(url, 'query', {
      query,
    });
    if (Number(result[0]?.value[1] ?? 0) >= 10 * ratePerSecond) return;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  throw new NotMeasured(`Prometheus saw no load within ${String(PATIENCE_MS / 1000)} s`);
}
