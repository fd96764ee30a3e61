import { samplersFor } from '../../cli/src/samplers';
import { thisMachine } from '../../cli/src/targets/machine';
import { bringUp, Collected, never, quiet, workload } from './stage';
import { pause } from '../support/wait';

/**
 * What all samplers together take of one core beside the largest topology that fits on a small machine:
 * the CPU time of a process that does nothing else, less what it takes without them.
 */
const everyMs = 1000;
const measuredMs = 60_000;
const baselineMs = 15_000;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function shareOver(ms: number): Promise<number> {
  const [cpuBefore, before] = [cpuMs(), performance.now()];
  await pause(ms, 'the time over which the cost is measured');
  return (cpuMs() - cpuBefore) / (performance.now() - before);
}

async function measure(): Promise<void> {
  const chosen = workload('last-node');
  const topology = { mode: 'queue', workers: { count: 2 }, webhooks: { count: 2 } };
  const running = await bringUp({ ...topology, tuning: 'throughput' }, chosen);
  try {
    await running.ready(chosen.requests, quiet, never());
    const baseline = await shareOver(baselineMs);
    const seen = new Collected();
    const samplers = samplersFor(running);
    for (const sampler of samplers) await sampler.start(running, seen, everyMs);
    // The first ticks compile what the later ones run.
    await pause(5000, 'the first ticks compile what the later ones run');
    const before = samplers.map((sampler) => sampler.cost());
    const samplesBefore = seen.samples.length;
    const share = await shareOver(measuredMs);
    const rows = samplers.map((sampler, index) => {
      const { ticks, busyMs } = sampler.cost();
      const [fromTicks = 0, fromMs = 0] = [before[index]?.ticks, before[index]?.busyMs];
      return { sampler: sampler.name, msPerTick: (busyMs - fromMs) / (ticks - fromTicks) };
    });
    const samples = seen.samples.length - samplesBefore;
    for (const sampler of samplers) await sampler.stop();
    const processes = ['main', 'worker', 'webhook', 'runner', 'redis', 'postgresql', 'balancer']
      .map((role) => seen.values('processes', role).at(-1) ?? 0)
      .reduce((sum, count) => sum + count, 0);
    process.stdout.write(
      `${JSON.stringify({
        everyMs,
        measuredSeconds: measuredMs / 1000,
        topology,
        processes,
        samplesPerSecond: samples / (measuredMs / 1000),
        coreShare: share - baseline,
        baselineShare: baseline,
        rows,
        failures: seen.events,
        machine: thisMachine(),
        versions: running.versions,
      })}\n`,
    );
  } finally {
    await running.down(quiet);
  }
}

void measure();
