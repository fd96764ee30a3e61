// One process of n8n under limits, started anew as often as a study wants; its stores and the other roles are there without
// limits. What starts, limits and watches processes is the command's own code.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { compiled } from '../lab/generate/compiled.mjs';

export const kit = compiled(`
  export { createGroup, findControl, readGroup } from './linux/cgroup';
  export { topologySchema } from './plan/topology';
  export { choosePorts, n8nProcesses } from './targets/process/layout';
  export { installNodes } from './targets/process/nodes';
  export { freePort } from './targets/process/ports';
  export { isReady } from './targets/process/ready';
  export { Seeds } from './targets/process/seeds';
  export { Stores } from './targets/process/stores';
  export { Supervisor } from './targets/process/supervisor';
  export { findTools, templatesFolder, versionsOf } from './targets/process/tools';
  export { Workspace } from './targets/process/workspace';
  export { thisMachine } from './targets/machine';
`);

const WITH_WORKER = { mode: 'queue', workers: { count: 1 } };
/** By the name that studies use: the role, its part of a topology, and what it needs beside it. */
const LAYOUTS = {
  main: { role: 'main', part: 'main', topology: { mode: 'regular' } },
  'main-queue': { role: 'main', part: 'main', topology: WITH_WORKER },
  worker: { role: 'worker', part: 'workers', topology: WITH_WORKER },
  webhook: {
    ...{ role: 'webhook', part: 'webhooks' },
    topology: { ...WITH_WORKER, webhooks: { count: 1 } },
  },
};

const OTHERS_READY_WITHIN_MS = 180_000;
const EVERY_MS = 100;

/** Why the limits of a running process cannot be set here; null where they can. */
export function whyNoLimits() {
  const control = kit.findControl();
  if (control.kind === 'none') return `limits cannot be set here, since ${control.reason}`;
  return control.kind === 'systemd'
    ? 'systemd owns the control groups, and limits change while n8n runs: run it in a container'
    : null;
}

/** `name`: of the role. `workflows`: files. `hasNodes`: whether n8n has the nodes of this repository. */
export async function openBench(name, { workflows, hasNodes = false, signal }) {
  const bench = new Bench(LAYOUTS[name], hasNodes, signal);
  try {
    await bench.open(workflows.map((file) => ({ name: file, file })));
    return bench;
  } catch (error) {
    await bench.close();
    throw error;
  }
}

class Bench {
  #layout;
  #hasNodes;
  #signal;
  #workspace = new kit.Workspace();
  #control = kit.findControl();
  #supervisor = new kit.Supervisor(randomBytes(4).toString('hex'), this.#control);
  #redis = null;
  #ports;
  #trials = 0;

  constructor(layout, hasNodes, signal) {
    this.#layout = layout;
    this.#hasNodes = hasNodes;
    this.#signal = signal;
    this.topology = kit.topologySchema.parse(layout.topology);
    this.tools = kit.findTools(this.topology);
    this.#supervisor.watchFolder(this.#workspace.folder);
  }

  async open(workflows) {
    const { topology, tools } = this;
    this.#ports = await kit.choosePorts(topology, false);
    this.versions = await kit.versionsOf(topology, tools);
    const shared = { tools, workspace: this.#workspace, supervisor: this.#supervisor };
    const stores = new kit.Stores({
      ...{ ...shared, topology, ports: this.#ports },
      ...{ templates: kit.templatesFolder(), redisPrefix: 'bull' },
    });
    const specs = this.#specsOf(this.#layout.topology);
    const main = specs.find(({ role }) => role === 'main');
    const { database } = stores;
    const seeds = new kit.Seeds({ ...shared, version: topology.n8n, main, database });
    const silent = () => undefined;
    await stores.startDatabase(workflows, () => seeds.import(workflows), silent);
    await stores.startRedis();
    if (stores.redis !== null) this.#redis = new Redis(stores.redis.url);
    for (const spec of specs) {
      if (this.#hasNodes) kit.installNodes(tools.nodesFolder, spec.folder);
      if (spec.role === this.#layout.role) continue;
      await this.#supervisor.start(spec);
    }
    const others = this.#ports.seats.filter(({ role }) => role !== this.#layout.role);
    for (const { port } of others) await this.#ready(port, OTHERS_READY_WITHIN_MS, () => false);
  }

  /** Of the process that is measured. */
  get seat() {
    return this.#ports.seats.find(({ role }) => role === this.#layout.role);
  }

  /** Where requests go in: to the process itself, or to main where it accepts none. */
  get url() {
    const role = this.#layout.role === 'worker' ? 'main' : this.#layout.role;
    const { port } = this.#ports.seats.find((seat) => seat.role === role);
    return `http://127.0.0.1:${port}`;
  }

  place(name) {
    return this.#workspace.place(name);
  }

  /**
   * Starts the process with a tuning, limits and variables of this time, and waits until it is ready, has ended, or
   * `withinMs` are over.
   */
  async start({ tuning = 'default', ...limits }, withinMs) {
    const { part, role, topology } = this.#layout;
    const asked = { ...topology, tuning, [part]: { ...topology[part], ...limits } };
    const spec = this.#specsOf(asked).find((one) => one.role === role);
    forgetEarlierEnd(join(spec.folder, '.n8n'));
    // What nobody has taken would be work for this one.
    await this.#redis?.del('bull:jobs:wait', 'bull:jobs:priority');
    const trial = await this.startBeside(spec);
    const isOver = () => trial.end !== null;
    trial.readySeconds = await this.#ready(this.seat.port, withinMs, isOver, trial.begunMs);
    return trial;
  }

  /** Any process in a control group of its own, until it ends or is stopped. */
  async startBeside(spec) {
    this.#trials += 1;
    const instance = `${spec.instance}-${this.#trials}`;
    const log = `${spec.log}-${this.#trials}`;
    const trial = new Trial(this.#supervisor, this.#control, instance, log);
    await this.#supervisor.start({ ...spec, instance, log });
    trial.begin();
    return trial;
  }

  async close() {
    this.#redis?.disconnect();
    await this.#supervisor.end();
    this.#workspace.remove();
    await this.#supervisor.dismissReaper();
  }

  #specsOf(topology) {
    const { folder, logFolder } = this.#workspace;
    const parsed = kit.topologySchema.parse(topology);
    return kit.n8nProcesses(parsed, this.#ports, this.tools, folder, logFolder);
  }

  /** Seconds since `begunMs`; null where it did not come to that. */
  async #ready(port, withinMs, isOver, begunMs = Date.now()) {
    while (!isOver() && Date.now() - begunMs < withinMs) {
      this.#signal.throwIfAborted();
      if (await kit.isReady(port, false)) return (Date.now() - begunMs) / 1000;
      await sleep(EVERY_MS);
    }
    return null;
  }
}

/** n8n pauses for 10 s and recovers executions where it finds that it has crashed. */
function forgetEarlierEnd(folder) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((one) => /^(crash\.journal$|n8nEventLog)/.test(one))) {
    rmSync(join(folder, name));
  }
}

class Trial {
  #supervisor;
  #control;
  #instance;
  #log;
  #group = null;
  #forget;
  #end = new AbortController();
  #stopped = null;
  /** What it ended by, where nobody asked for it: `memory` (the kernel), `heap` (V8) or `exit`; null while it runs. */
  end = null;
  readySeconds = null;

  constructor(supervisor, control, instance, log) {
    this.#supervisor = supervisor;
    this.#control = control;
    this.#instance = instance;
    this.#log = log;
    this.#forget = supervisor.onEvent(({ text, exhausted }) => {
      if (this.end !== null || !text.startsWith(`${instance} ended: `)) return;
      this.end = exhausted?.resource ?? 'exit';
      this.#end.abort();
      // It would be started again.
      this.#stopped = supervisor.stop([instance]);
    });
  }

  /** Fires when it has ended and nobody had asked for it. */
  get endSignal() {
    return this.#end.signal;
  }

  begin() {
    this.begunMs = Date.now();
    const own = this.#supervisor.processes().find(({ instance }) => instance === this.#instance);
    this.#group = own?.cgroup ?? null;
  }

  /** Of its control group so far. */
  get figures() {
    return this.#group === null ? null : kit.readGroup(this.#control, this.#group);
  }

  /** While it runs. */
  limit(limits) {
    kit.createGroup(this.#control, this.#group, limits);
  }

  get log() {
    return readFileSync(this.#log, 'utf8');
  }

  async stop() {
    this.#forget();
    await (this.#stopped ?? this.#supervisor.stop([this.#instance]));
  }
}
