import type { VersionRow } from '../analysis/row';
import type { ReleaseRow } from '../analysis/row';
import { counted } from '../../../ui/numbers';
import { compareVersions } from '../../../ui/versions';

export interface N8nVersions {
  installed: string[];
  /** What the registry has, the oldest first; null: it could not be asked. */
  released: string[] | null;
  pinned: string;
}

/** The number of minor versions whose newest release is shown, beside those that are installed. */
const SHOWN_MINORS = 10;

const lineOf = (version: string): string => version.split('.').slice(0, 2).join('.');

/** What is worth a row: all that is installed, and the newest of the newest minor versions and of each older major one. */
export function shownVersions({ installed, released }: N8nVersions): string[] {
  const newestFirst = [...(released ?? [])].reverse();
  const newestOf = (name: (version: string) => string): string[] => [
    ...new Map([...newestFirst].reverse().map((version) => [name(version), version])).values(),
  ];
  const minors = newestOf(lineOf).reverse().slice(0, SHOWN_MINORS);
  const majors = newestOf((version) => version.split('.')[0] ?? '');
  return [...new Set([...installed, ...minors, ...majors])].sort((a, b) => compareVersions(b, a));
}

export function listLines(versions: N8nVersions): string[] {
  const { installed, released, pinned } = versions;
  const shown = shownVersions(versions);
  const newest = released?.at(-1);
  const row = (version: string): string => {
    const notes = [
      ...(version === newest ? ['newest in the registry'] : []),
      ...(version === pinned ? ['default of this n8n-tuned version'] : []),
      ...(released?.includes(version) === false ? ['not in the registry'] : []),
    ];
    const state = installed.includes(version) ? 'installed' : '-';
    return `${version.padEnd(10)} ${state.padEnd(10)} ${notes.join(', ')}`.trimEnd();
  };
  const rest = (released?.length ?? 0) - shown.filter((each) => released?.includes(each)).length;
  return [
    'VERSION    STATE',
    ...shown.map(row),
    ...(rest > 0
      ? ['', `The registry has ${counted(rest, 'more release')}: --json lists them.`]
      : []),
  ];
}

/** The row of a release, and below it what has changed in n8n. */
export function admitLines(
  { version, patches, variables, unread }: ReleaseRow,
  diffs: readonly string[],
): string[] {
  const width = Math.max(...patches.map(({ patch }) => patch.length)) + 2;
  const line = (name: string, state: string, because: readonly string[]): string =>
    `${name.padEnd(width)}${state.padEnd(12)}${because.join('; ')}`.trimEnd();
  return [
    `n8n ${version}`,
    ...patches.map(({ patch, state, because }) => line(patch, state, because)),
    ...(variables === null
      ? [line('variables', 'not read', unread)]
      : [line('variables', variables.length === 0 ? 'as listed' : 'different', variables)]),
    ...diffLines(diffs),
  ];
}

export const diffLines = (diffs: readonly string[]): string[] =>
  diffs.flatMap((diff) => ['', ...diff.split('\n')]);

/** What a release did when it ran. */
export function triedLines({ tried }: VersionRow): string[] {
  if (tried === null) return [];
  const { tests, inForce, workloads } = tried;
  const { responded, failed } = workloads;
  return [
    `tests       ${counted(tests.passed, 'test')} of the patches passed, ${String(tests.failed)} failed`,
    ...tests.failing.map((one) => `            ${one}`),
    `workloads   ${String(responded)} of ${String(responded + failed.length)} responded`,
    ...failed.map((one) => `            ${one}`),
    ...Object.entries(inForce).map(
      ([role, states]) =>
        `${role.padEnd(12)}${Object.entries(states)
          .map(([patch, state]) => `${patch} ${state}`)
          .join(', ')}`,
    ),
  ];
}
