import { bringUp, tracesOf, workload } from './stage';

/** Brings a topology up, says what belongs to it, and waits to be killed (crash.test.ts). */
async function own(): Promise<void> {
  const running = await bringUp({ mode: 'queue' }, workload('last-node'));
  process.stdout.write(`${JSON.stringify(tracesOf(running))}\n`);
  setInterval(() => undefined, 60_000);
}

void own();
