// How exactly Load Target makes what it is asked for, and what it costs by itself. For an idle
// machine; writes docs/records/node-accuracy.json and ends with 1 when a bound is not met.
//   npx tsx test/nodes/accuracy.bench.ts    (make lab first; npm run build:nodes)
import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinned, readVersions } from '../../cli/src/lab/paths';
import { n8nFolder, node24 } from './support/lab';

const root = fileURLToPath(new URL('../..', import.meta.url));
const N8N_VERSION = pinned(readVersions(), 'N8N_VERSION');
const REPEATS = 5;
const MIB = 1024 * 1024;
const idleAtStart = loadavg()[0];

const host = fork(join(root, 'test/nodes/support/engine-host.mjs'), {
  execPath: node24(),
  execArgv: ['--expose-gc', '--max-old-space-size=4096'],
  env: { ...process.env, N8N_INSTALLATION: n8nFolder(N8N_VERSION) },
  serialization: 'advanced',
});
await new Promise((resolve) => host.once('message', resolve));

let lastId = 0;
interface Reply {
  id: number;
  ok: boolean;
  value: unknown;
  message: string;
}
const ask = <Value>(command: string, what: object = {}): Promise<Value> =>
  new Promise((resolve, reject) => {
    lastId += 1;
    const id = lastId;
    const listen = (reply: Reply): void => {
      if (reply.id !== id) return;
      host.off('message', listen);
      if (reply.ok) resolve(reply.value as Value);
      else reject(new Error(reply.message));
    };
    host.on('message', listen);
    host.send({ id, command, ...what });
  });
interface Report {
  achieved: { waitedMs: number };
}
const run = (parameters: object, more: object = {}): Promise<{ items: { json: Report }[] }> =>
  ask('run', { node: 'loadTarget', parameters, ...more });
const report = async (parameters: object): Promise<Report> => {
  const [item] = (await run(parameters)).items;
  if (item === undefined) throw new Error('the node gave no item');
  return item.json;
};
const memory = async (): Promise<NodeJS.MemoryUsage> => {
  await ask('collectGarbage');
  return ask('memory');
};

const figures: {
  what: string;
  unit: string;
  asked: number;
  measured: number[];
  worst: number;
  allowed: number;
  holds: boolean;
}[] = [];
/** `errors` in the unit's own terms; the worst of the repeats counts. */
const record = (
  what: string,
  asked: number,
  measured: number[],
  unit: string,
  allowed: number,
): void => {
  const worst = measured.reduce((a, b) => (Math.abs(b - asked) > Math.abs(a - asked) ? b : a));
  const holds = Math.abs(worst - asked) <= allowed;
  figures.push({ what, unit, asked, measured, worst, allowed, holds });
  console.log(
    `${holds ? 'ok  ' : 'FAIL'} ${what}: asked ${String(asked)} ${unit}, worst ${String(worst)}, allowed +-${String(allowed)}`,
  );
};
const rounded = (value: number): number => Math.round(value * 1000) / 1000;
const repeat = async (measure: () => Promise<number>): Promise<number[]> => {
  const values: number[] = [];
  for (let i = 0; i < REPEATS; i += 1) values.push(rounded(await measure()));
  return values;
};

// What the process itself says, before and after, with the garbage gone.
for (const [heldAs, where] of [
  ['strings', 'heapUsed'],
  ['objects', 'heapUsed'],
  ['buffers', 'arrayBuffers'],
] as const) {
  for (const sizeMiB of [50, 200]) {
    const measured = await repeat(async () => {
      const before = await memory();
      await report({ operation: 'memory', heldAs, sizeMiB, holdMs: 0, afterwards: 'leak' });
      const after = await memory();
      return (after[where] - before[where]) / MIB;
    });
    record(`memory as ${heldAs}`, sizeMiB, measured, 'MiB', Math.max(sizeMiB * 0.02, 2));
  }
}
// What the operating system says the thread used, from outside the operation. The engine's own part
// and that of the messages is known from executions that use none.
const cpuTimeMsNow = (): Promise<number> => ask('cpuTimeMs');
const executionCostMs = async (): Promise<number> => {
  const before = await cpuTimeMsNow();
  await report({ operation: 'cpu', cpuTimeMs: 0 });
  return (await cpuTimeMsNow()) - before;
};
// So often that the engine's code is compiled, as in an n8n that has been up for a while.
for (let i = 0; i < 50; i += 1) await executionCostMs();
for (const cpuTimeMs of [20, 100, 1000]) {
  for (const eventLoop of ['block', 'yield']) {
    const measured = await repeat(async () => {
      const costMs = await executionCostMs();
      const before = await cpuTimeMsNow();
      await report({ operation: 'cpu', cpuTimeMs, eventLoop });
      return (await cpuTimeMsNow()) - before - costMs;
    });
    record(`CPU time, ${eventLoop}`, cpuTimeMs, measured, 'ms', Math.max(cpuTimeMs * 0.03, 5));
  }
}
for (const waitMs of [5, 100, 1000]) {
  const measured = await repeat(
    async () => (await report({ operation: 'wait', waitMs })).achieved.waitedMs,
  );
  record('wait', waitMs, measured, 'ms', 20);
}
// The CPU time of a hundred items that do nothing, against the same execution with one.
const items = Array.from({ length: 100 }, () => ({ json: {} }));
const nothing = { operation: 'fail', probability: 0 };
const costOf = async (more: object): Promise<number> => {
  const before = await cpuTimeMsNow();
  await run(nothing, more);
  return (await cpuTimeMsNow()) - before;
};
for (let i = 0; i < 20; i += 1) await costOf({ items });
const cost = await repeat(async () => ((await costOf({ items })) - (await costOf({}))) / 99);
record('own cost an item', 0, cost, 'ms', 1);

host.disconnect();
const output = {
  recordedAt: new Date().toISOString(),
  machine: { cpu: cpus()[0]?.model, cores: cpus().length, loadAverageAtStart: idleAtStart },
  versions: { n8n: N8N_VERSION, node: pinned(readVersions(), 'NODE24_VERSION') },
  repeats: REPEATS,
  figures,
};
mkdirSync(join(root, 'docs/records'), { recursive: true });
writeFileSync(
  join(root, 'docs/records/node-accuracy.json'),
  `${JSON.stringify(output, null, 2)}\n`,
);
process.exitCode = figures.every(({ holds }) => holds) ? 0 : 1;
