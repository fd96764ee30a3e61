// What a container may use is its machine, and what n8n may use where it is pinned to CPUs that the command is not on.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import {
  createGroup,
  findControl,
  groupFolders,
  parentGroup,
  removeGroup,
} from '../../../cli/src/linux/cgroup';

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-host-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Samples a deployment with these pids. Without any, it uses all CPU that it gets meanwhile. */
const script = (pids: readonly number[]): string => `
  import { hostSampler } from './cli/src/samplers/host';
  import { thisMachine } from './cli/src/targets/machine';
  const seen = [];
  const sink = { event: () => undefined, sample: (role, _, metric, value) => metric === 'cpuCores' && seen.push(value) };
  const sampler = hostSampler();
  const processes = ${JSON.stringify(pids.map((pid) => ({ pid })))};
  await sampler.start({ processes: () => processes }, sink, 100);
  const untilMs = Date.now() + 2_000;
  while (Date.now() < untilMs) {
    if (processes.length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    else for (let i = 0; i < 1e6; i += 1);
  }
  await sampler.stop();
  console.log(JSON.stringify({ cores: thisMachine(processes).cores, used: seen.at(-1) }));
`;

function inShell(prefix: string, pids: readonly number[] = []): { cores: number; used: number } {
  const file = join(folder, 'sample.mjs');
  buildSync({
    stdin: { contents: script(pids), resolveDir: join(__dirname, '..', '..', '..') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: file,
  });
  const said = execFileSync('/bin/sh', ['-c', `${prefix}exec "$0" "$1"`, process.execPath, file], {
    encoding: 'utf8',
  });
  return JSON.parse(said) as { cores: number; used: number };
}

const control = findControl();

test('without a quota, the machine is as large as the CPUs that a process may run on', () => {
  const { cores, used } = inShell('');
  expect(cores).toBeLessThanOrEqual(availableParallelism());
  expect(used).toBeLessThanOrEqual(cores + 0.05);
});

(availableParallelism() > 1 ? test : test.skip)(
  'of a deployment that is pinned to a CPU which the command is not on, that CPU is the machine',
  () => {
    const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(
      readFileSync('/proc/self/status', 'utf8'),
    )?.[1];
    const [first = '', last = ''] = [/^\d+/, /\d+$/].map((end) => end.exec(list ?? '')?.[0]);
    const pinned = spawn('taskset', ['-c', last, 'sh', '-c', 'while :; do :; done']);
    try {
      const { cores, used } = inShell(`taskset -pc ${first} $$ > /dev/null; `, [pinned.pid ?? 0]);
      expect(cores).toBe(1);
      // What a hypervisor takes away is not in use.
      expect(used).toBeGreaterThan(0.3);
      expect(used).toBeLessThanOrEqual(1.05);
    } finally {
      pinned.kill();
    }
  },
);

(['v1', 'v2'].includes(control.kind) ? test : test.skip)(
  'a container with a quota of half a core has half a core, and uses no more',
  async () => {
    const group = `${parentGroup}/half-${String(process.pid)}`;
    createGroup(control, group, { cpuMillicores: 500 });
    try {
      const joined = groupFolders(control, group).map((at) => `echo $$ > ${at}/cgroup.procs; `);
      const { cores, used } = inShell(joined.join(''));
      expect(cores).toBe(0.5);
      // Others may take the rest of it on a busy machine.
      expect(used).toBeGreaterThan(0.02);
      expect(used).toBeLessThan(0.6);
    } finally {
      await removeGroup(control, group);
    }
  },
);
