/** With folders that stand in for control groups. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Control } from '../../../cli/src/linux/cgroup';
import { runOutOfMemory } from '../../../cli/src/linux/memory-limit';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const V1 = ['memory.usage_in_bytes', 'memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'];
const V2 = ['memory.current', 'memory.max'];

test.each([
  ['v1', V1, '9223372036854771712'],
  ['v1 without an account of swap', V1.slice(0, 2), '1073741824'],
  ['v2', V2, 'max'],
] as const)(
  '%s: the limit is what is used until it is over, and then as it was',
  async (...args) => {
    const [kind, [used, ...limits], before] = args;
    const folder = mkdtempSync(join(tmpdir(), 'group-'));
    folders.push(folder);
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, used ?? ''), '4096\n');
    for (const limit of limits) writeFileSync(join(folder, limit), `${before}\n`);
    const control: Control =
      kind === 'v2' ? { kind, root: folder } : { kind: 'v1', cpu: folder, memory: folder };
    const seen: string[][] = [];
    const isOver = (): boolean => {
      seen.push(limits.map(read));
      if (seen.length === 2) writeFileSync(join(folder, used ?? ''), '2048\n');
      return seen.length > 3;
    };
    await runOutOfMemory(control, '.', isOver, new AbortController().signal);
    expect(seen.slice(1)).toEqual(['4096', '2048', '2048'].map((bytes) => limits.map(() => bytes)));
    expect(limits.map(read)).toEqual(limits.map(() => before));
    await runOutOfMemory(control, '.', () => false, AbortSignal.timeout(1));
    expect(limits.map(read)).toEqual(limits.map(() => before));
  },
);
