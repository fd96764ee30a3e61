// What a container may use is its machine: tried in a control group with a quota, where one can be made.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
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

/** Uses all CPU that it gets for as long as it samples. */
const SCRIPT = `
  import { hostSampler } from './cli/src/samplers/host';
  import { thisMachine } from './cli/src/targets/machine';
  const seen = [];
  const sink = { event: () => undefined, sample: (role, _, metric, value) => metric === 'cpuCores' && seen.push(value) };
  const sampler = hostSampler();
  await sampler.start({}, sink, 100);
  const untilMs = Date.now() + 2_000;
  while (Date.now() < untilMs) for (let i = 0; i < 1e6; i += 1);
  await sampler.stop();
  console.log(JSON.stringify({ cores: thisMachine().cores, used: seen.at(-1) }));
`;

function inShell(prefix: string): { cores: number; used: number } {
  const file = join(folder, 'sample.mjs');
  buildSync({
    stdin: { contents: SCRIPT, resolveDir: join(__dirname, '..', '..', '..') },
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
