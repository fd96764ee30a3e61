/** What `INFO memory` of Redis says. Pure. */
export function redisMemory(info: string): { memoryMiB: number; memoryMaxMiB: number | null } {
  const mebi = (name: string): number =>
    Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]) / (1024 * 1024);
  const most = mebi('maxmemory');
  return { memoryMiB: mebi('used_memory'), memoryMaxMiB: most > 0 ? most : null };
}
