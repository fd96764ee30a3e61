// One fault on a release of its own, with the alerts that it causes.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { alertsWithin, namesContainers, scraped } from './alerts.mjs';
import { existing, figuresOf, tuned } from './load.mjs';
import { watchLoadAverage } from './load-average.mjs';
import { STEADY_SECONDS } from './parts.mjs';
import { asked, startWatching } from './prometheus.mjs';
import {
  deploy,
  emptyNamespace,
  endN8n,
  monitorsOf,
  removeNamespace,
  scale,
  VALUES,
} from './release.mjs';

const WARMUP_SECONDS = 10;
const READY_MS = 45_000;
/** There was no fault, something was wrong already before it, or the machine had too much to do. */
const SPOILED =
  /the fault could not be made|the SLO was missed before the fault|the load generator was at fault/;
/** Until the load has begun. */
const PATIENCE_MS = 300_000;
const LOOK_EVERY_MS = 3_000;
const replicasOf = { 'deployment/n8n-worker': VALUES.worker.replicas };

export async function watchFault(part, { scratch, signal, tell }) {
  const namespace = `n8n-watch-${part.name}`;
  const loadAverageAtStart = loadavg()[0];
  const loadAverage = watchLoadAverage();
  let prometheus;
  try {
    await emptyNamespace(namespace);
    const monitors = await monitorsOf(namespace);
    prometheus = await startWatching({ [namespace]: monitors });
    const make = part.drill === undefined ? bySteps : byDrill;
    const { fromMs, toMs, faultMs, ...told } = await make(part, {
      ...{ namespace, scratch, signal, tell, url: prometheus.url },
    });
    const of = (time) => alertsWithin(prometheus.url, { namespace, ...monitors, ...time });
    const before = await of({ fromMs, toMs: faultMs });
    return {
      startedAt: new Date(fromMs).toISOString(),
      ...{ title: part.title, expects: part.expects, loadAverageAtStart },
      loadAverage: loadAverage.figures(),
      lastsSeconds: part.lastsSeconds,
      watchedSeconds: Math.round((toMs - faultMs) / 1000),
      ...{ ...told, versions: { ...told.versions, prometheus: prometheus.version } },
      scraped: await scraped(prometheus.url, namespace, { fromMs, toMs: faultMs }),
      namesContainers: await namesContainers(prometheus.url, namespace, { fromMs, toMs }),
      before: before.filter(({ pending, firing }) => pending || firing).map(({ alert }) => alert),
      alerts: await of({ fromMs: faultMs, toMs }),
    };
  } finally {
    loadAverage.stop();
    await prometheus?.stop();
    tell(`removing ${namespace}`);
    await removeNamespace(namespace);
  }
}

/** `n8n-tuned drill` deploys, makes the fault under load, accounts for every request and removes. */
async function byDrill(part, { namespace, scratch, signal, tell }) {
  const values = join(scratch, 'values.json');
  writeFileSync(values, JSON.stringify(VALUES));
  tell(`drill ${part.drill}`);
  const record = await tuned(
    [
      ...['drill', part.drill, '--target', 'kubernetes', '--namespace', namespace, '--yes'],
      ...['--values', values, '--workload', part.workload, '--param', part.param],
      // Latency on a small machine while Prometheus watches is no matter of the alerts.
      ...['--rate', String(part.ratePerSecond), '--slo', 'errors<1%'],
      ...['--no-control', '--wait', '60s'],
      ...['--warmup', `${WARMUP_SECONDS}s`, '--steady', `${STEADY_SECONDS - WARMUP_SECONDS}s`],
      ...(part.lastsSeconds === 0 ? [] : ['--for', `${part.lastsSeconds}s`]),
      ...['--after', `${part.afterSeconds}s`, '--ready', '300s', '--out', scratch],
    ],
    signal,
  );
  const { fault, phases, ledger, verdict, folder, machine, versions } = record;
  if (phases.faultMs === null || verdict.invalid.some((why) => SPOILED.test(why))) {
    throw new Error(`nothing is kept: ${verdict.sentence}`);
  }
  const run = JSON.parse(readFileSync(join(folder, record.run, 'run.json'), 'utf8'));
  const fromMs = Date.parse(run.loadBeganAt);
  return {
    ...{ fromMs, faultMs: fromMs + phases.faultMs, toMs: fromMs + phases.endMs },
    ...{ machine, versions },
    made: fault.done.map(({ tMs, text }) => ({
      afterSeconds: Math.round((tMs - phases.faultMs) / 1000),
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

async function bySteps(part, { namespace, scratch, signal, tell, url }) {
  tell(`deploying into ${namespace}`);
  await deploy(namespace, part.values);
  await sleep(READY_MS, undefined, { signal });
  const seconds = STEADY_SECONDS + part.lastsSeconds + part.afterSeconds;
  tell(`${part.workload} at ${part.ratePerSecond} per second for ${seconds} s`);
  const ends = new AbortController();
  const all = AbortSignal.any([signal, ends.signal]);
  const loading = tuned(
    existing(
      namespace,
      ...['--workload', part.workload, '--rate', String(part.ratePerSecond)],
      ...['--warmup', `${WARMUP_SECONDS}s`, '--duration', `${seconds - WARMUP_SECONDS}s`],
      ...['--out', scratch],
    ),
    all,
  );
  loading.catch(() => undefined);
  try {
    const made = [];
    let loadedMs = null;
    if (part.scale !== undefined || part.end !== undefined) {
      await Promise.race([loaded(url, namespace, part, all), loading]);
      loadedMs = Date.now();
      const say = (text) => {
        tell(text);
        made.push({ afterSeconds: Math.round((Date.now() - loadedMs) / 1000), text });
      };
      await (part.scale === undefined ? endAgainAndAgain : scaleAway)(part, {
        ...{ namespace, say },
        wait: (seconds) => sleep(seconds * 1000, undefined, { signal }),
      });
    }
    // The run reads the stores as well, and may fail with them: the alerts are what counts here.
    const run = await loading.catch((error) => ({ failure: error.message }));
    signal.throwIfAborted();
    const beganMs = run.loadBeganAt === undefined ? loadedMs : Date.parse(run.loadBeganAt);
    if (beganMs === null) throw new Error(run.failure);
    return {
      ...{ fromMs: Math.min(beganMs, loadedMs ?? beganMs), faultMs: loadedMs ?? beganMs },
      ...{ toMs: Date.now(), made, machine: run.machine, versions: run.versions },
      load: {
        ...{ workload: part.workload, plannedPerSecond: part.ratePerSecond },
        ...(run.failure === undefined ? figuresOf(run) : { failure: run.failure }),
      },
    };
  } finally {
    ends.abort();
    await loading.catch(() => undefined);
  }
}

async function scaleAway({ scale: what, lastsSeconds }, { namespace, say, wait }) {
  const to = async (replicas) => {
    say(`${what} scaled to ${replicas}`);
    await scale(namespace, what, replicas);
  };
  await to(0);
  await wait(lastsSeconds);
  await to(replicasOf[what] ?? 1);
}

async function endAgainAndAgain({ end, times, lastsSeconds }, { namespace, say, wait }) {
  for (let time = 1; time <= times; time += 1) {
    say(`n8n of ${end} told to end, time ${time}`);
    await endN8n(namespace, end);
    await wait(lastsSeconds / times);
  }
}

/** Until Prometheus has seen ten seconds of the load. */
async function loaded(url, namespace, { ratePerSecond }, signal) {
  const query = `sum(n8n_webhook_request_duration_seconds_count{namespace="${namespace}"})`;
  for (const untilMs = Date.now() + PATIENCE_MS; Date.now() < untilMs;) {
    const [seen] = (await asked(url, 'query', { query })).result;
    if (Number(seen?.value[1] ?? 0) >= 10 * ratePerSecond) return;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  throw new Error(`Prometheus saw no load within ${PATIENCE_MS / 1000} s`);
}
