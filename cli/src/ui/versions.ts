/** Numbers of a release, such as 1.26 or 2.0.0-rc.1, whose candidates count as the release. */
const numbersOf = (version: string): number[] =>
  (/\d+(\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);

/** Below 0 where `a` is the older one; 1.26 is 1.26.0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  const differences = [0, 1, 2].map((index) => (left[index] ?? 0) - (right[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** The version of n8n that a process says it has at /metrics, where Node.js says its own as well; null where it says none. */
export const versionToldIn = (text: string): string | null =>
  /^(?!\w*nodejs_)\w*version_info\{[^}]*version="v?([^"]+)"/m.exec(text)?.[1] ?? null;
