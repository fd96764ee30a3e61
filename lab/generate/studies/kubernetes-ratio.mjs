// Why n8n sustains another rate in pods than as processes with the same limits: from the records of two searches
// (studies/kubernetes/measure.mjs). Pure.
import { median } from '../records.ts';

/** Times as much at the most: of what n8n uses at rest, a few hundredths of a core, less falls on a response at a higher rate. */
const COMPARABLE = 1.5;
const KEPT_UP = 0.9;
const STORES = ['postgresql', 'redis'];
const N8N = ['main', 'webhook', 'worker', 'runner'];

const total = (values) => values.reduce((sum, value) => sum + value, 0);

/**
 * The capacity on Kubernetes over that on processes, with the interval that follows from the two (as of independent
 * estimates, on a logarithmic scale); `high` is null where nothing bounds it.
 */
export function capacityRatio(pods, processes) {
  const [k, p] = [pods.search.capacity, processes.search.capacity];
  const value = k.ratePerSecond / p.ratePerSecond;
  const up = (of, by) => Math.log(of / by);
  const fallsBy =
    p.high === null
      ? Infinity
      : Math.hypot(up(k.ratePerSecond, k.low), up(p.high, p.ratePerSecond));
  const growsBy =
    k.high === null ? null : Math.hypot(up(k.high, k.ratePerSecond), up(p.ratePerSecond, p.low));
  return {
    value,
    low: value * Math.exp(-fallsBy),
    high: growsBy === null ? null : value * Math.exp(growsBy),
    // What made one of them inconclusive, mostly a machine whose speed changed, may be what makes the ratio.
    isInconclusive: [pods, processes].some(({ search }) => search.verdict === 'inconclusive'),
  };
}

export const isDifferent = ({ low, high, isInconclusive }) =>
  !isInconclusive && (low > 1 || (high !== null && high < 1));

/** The run on which the answer of a search rests; null where none was sustained. */
export const atCapacity = ({ search, runs }) =>
  runs.find(({ run }) => run === search.atCapacity?.run) ?? null;

/** Cores that were used at the capacity, and by whom: what the machine used beside them is `others`. */
export function machineUse(record) {
  const run = atCapacity(record);
  if (run === null) return null;
  const of = (roles) =>
    total(
      run.roles
        .filter(({ role }) => roles.includes(role))
        .map(({ cpuCoresMean }) => cpuCoresMean ?? 0),
    );
  const machine = run.roles.find(({ role }) => role === 'host')?.cpuCoresMean ?? null;
  const parts = { n8n: of(N8N), stores: of(STORES), generator: run.generatorCores };
  const beside = of(['balancer', 'upstream']);
  const known = parts.n8n + parts.stores + parts.generator + beside;
  return {
    ...parts,
    others: machine === null ? null : Math.max(0, machine - known),
    ...{ machine, cores: record.search.machine.cores },
  };
}

/** The role that came closest to its CPU limit, as a share of it; null where no limit was seen. */
export function busiest(run) {
  const [first] = (run?.containers ?? [])
    .filter(({ limitCores }) => limitCores !== null)
    .map((container) => ({ ...container, used: container.cores / container.limitCores }))
    .toSorted((a, b) => b.used - a.used);
  return first ?? null;
}

export const throttledShareOf = (run, role) =>
  run.roles.find((one) => one.role === role)?.throttledShare ?? null;

/** CPU per expected response of what else runs in the containers of n8n: the shell that reads their figures. */
export function readingMs({ containers, achievedPerSecond }) {
  if (containers.length === 0 || !(achievedPerSecond > 0)) return null;
  const cores = total(containers.map((one) => Math.max(0, one.cores - one.n8nCores)));
  return (1000 * cores) / achievedPerSecond;
}

/**
 * With errors among the SLOs most short probes are too short for a verdict: what counts is that the responses kept up with
 * the requests.
 */
const keptUp = ({ outcome, ratePerSecond, achievedPerSecond }) =>
  ['sustained', 'inconclusive'].includes(outcome) && achievedPerSecond >= KEPT_UP * ratePerSecond;

/** Pairs of runs that kept up with comparable rates, those closest to each other paired first; the lowest rate first. */
export function comparablePairs(pods, processes) {
  const all = pods.runs.filter(keptUp).flatMap((inPods) =>
    processes.runs.filter(keptUp).map((asProcesses) => ({
      ...{ pods: inPods, processes: asProcesses },
      away: Math.abs(Math.log(inPods.ratePerSecond / asProcesses.ratePerSecond)),
    })),
  );
  const taken = new Set();
  return all
    .filter(({ away }) => away <= Math.log(COMPARABLE))
    .toSorted((a, b) => a.away - b.away)
    .filter((pair) => {
      if (taken.has(pair.pods) || taken.has(pair.processes)) return false;
      taken.add(pair.pods).add(pair.processes);
      return true;
    })
    .toSorted((a, b) => a.pods.ratePerSecond - b.pods.ratePerSecond);
}

/** CPU per expected response on Kubernetes over that on processes, by pairs; `apart`: their rates, at the most, in times. */
export function cpuRatio(pairs) {
  const ratios = pairs
    .map((pair) => pair.pods.cpuMillisecondsPerRequest / pair.processes.cpuMillisecondsPerRequest)
    .filter((ratio) => Number.isFinite(ratio) && ratio > 0);
  if (ratios.length === 0) return null;
  return {
    ...{ value: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) },
    ...{ pairs: ratios.length, apart: Math.exp(Math.max(...pairs.map(({ away }) => away))) },
  };
}

/** Of a ratio, on a logarithmic scale, what a factor of it makes up: the shares of all its factors add up to 1. */
export const shareOf = (factor, ratio) => Math.log(factor) / Math.log(ratio);

/**
 * What the ratio of the capacities is made of, by the role that came closest to its limit in pods: a rate is the CPU that
 * this role got, over what it takes for a response, so the product of the factors is the ratio itself. Null where a run or
 * a figure is missing.
 */
export function factors(pods, processes) {
  const [k, p] = [atCapacity(pods), atCapacity(processes)];
  const role = busiest(k)?.role;
  const of = (run) => run?.containers.find((one) => one.role === role) ?? null;
  const [inPod, asProcess] = [of(k), of(p)];
  if (inPod === null || asProcess === null) return null;
  const perResponse = ({ n8nCores }, { achievedPerSecond }) => n8nCores / achievedPerSecond;
  const beside = ({ cores, n8nCores }) => cores / n8nCores;
  const rates = k.achievedPerSecond / p.achievedPerSecond;
  const made = {
    response: perResponse(asProcess, p) / perResponse(inPod, k),
    reading: beside(asProcess) / beside(inPod),
    used: inPod.cores / asProcess.cores,
    estimate: capacityRatio(pods, processes).value / rates,
  };
  return Object.values(made).every((factor) => Number.isFinite(factor) && factor > 0)
    ? { role, ...made }
    : null;
}
