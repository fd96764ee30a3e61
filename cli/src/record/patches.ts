/** What each patch of the kit has come to in a running n8n, by the gauge of the chart's limit-metrics.cjs. docs/chart/patches.md */
import { z } from 'zod';
import { ROLES, type Role } from '../plan/roles';
import { counted } from '../ui/numbers';

/** Those of the chart's in-force.cjs; of several processes the state that comes first here is that of their role. */
const STATES = ['off', 'failed', 'unknown', 'waiting', 'not needed', 'proven', 'known'] as const;
/** Only these two change n8n. A patch that is waiting does not: n8n has not loaded that code by now. */
const IN_FORCE: readonly State[] = ['known', 'proven'];

/** By role, and there by the name of each patch that a process has loaded: its state. */
export const patchStatesSchema = z.partialRecord(
  z.enum(ROLES),
  z.record(z.string(), z.enum(STATES)),
);
export type PatchStates = z.infer<typeof patchStatesSchema>;
type State = (typeof STATES)[number];

const isState = (text: string): text is State => (STATES as readonly string[]).includes(text);

/** Reads the patches of one process from what it shows at /metrics. */
export function patchesIn(text: string): Record<string, State> {
  const states: Record<string, State> = {};
  for (const [, labels = ''] of text.matchAll(/^n8n_tuned_patch_in_force\{([^}]*)\}/gm)) {
    const label = (name: string): string =>
      new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const state = label('state');
    if (isState(state)) states[label('patch')] = state;
  }
  return states;
}

const worse = (a: State, b: State): State => (STATES.indexOf(a) <= STATES.indexOf(b) ? a : b);

/** Null where no process shows any: their state is not known. */
export function patchStatesOf(
  processes: readonly { role: Role; text: string }[],
): PatchStates | null {
  const states: PatchStates = {};
  for (const { role, text } of processes) {
    for (const [patch, state] of Object.entries(patchesIn(text))) {
      const known = (states[role] ??= {});
      known[patch] = worse(known[patch] ?? state, state);
    }
  }
  return Object.keys(states).length === 0 ? null : states;
}

/** `known: zone-once; proven: lazy-character-map; off in worker: read-once`. */
export function patchesText(states: PatchStates): string {
  const roles = ROLES.filter((role) => states[role] !== undefined);
  const groups = new Map<string, string[]>();
  const rolesOf = (patch: string, state: State): Role[] =>
    roles.filter((role) => states[role]?.[patch] === state);
  for (const state of [...STATES].reverse()) {
    for (const patch of namesIn(states)) {
      const where = rolesOf(patch, state);
      if (where.length === 0) continue;
      const isEverywhere = roles.every((role) => (states[role]?.[patch] ?? state) === state);
      const title = isEverywhere ? state : `${state} in ${where.join(' and ')}`;
      groups.set(title, [...(groups.get(title) ?? []), patch]);
    }
  }
  return [...groups].map(([title, patches]) => `${title}: ${patches.join(', ')}`).join('; ');
}

const namesIn = (states: PatchStates): string[] =>
  [...new Set(Object.values(states).flatMap((patches) => Object.keys(patches)))].sort();

const isInForce = (state: State | undefined): boolean =>
  state !== undefined && IN_FORCE.includes(state);

/** Patches that change n8n. */
export const patchesInForce = (states: PatchStates): string[] =>
  namesIn(states).filter((patch) =>
    Object.values(states).some((patches) => isInForce(patches[patch])),
  );

/** `8 of 8 patches in force`; by role where some are not: `patches in force: 8 of 8 in main, 6 of 7 in worker (1 waiting)`. */
export function inForceText(states: PatchStates): string {
  const roles = ROLES.flatMap((role) => {
    const all = Object.values(states[role] ?? {});
    if (all.length === 0) return [];
    const waiting = all.filter((state) => state === 'waiting').length;
    return [
      {
        ...{ role, of: all.length, inForce: all.filter(isInForce).length },
        waiting: waiting === 0 ? '' : ` (${String(waiting)} waiting)`,
      },
    ];
  });
  const names = namesIn(states).length;
  if (roles.every(({ of, inForce }) => of === inForce))
    return `${String(names)} of ${counted(names, 'patch', 'patches')} in force`;
  const [only, ...others] = roles;
  if (only !== undefined && others.length === 0)
    return `${String(only.inForce)} of ${counted(only.of, 'patch', 'patches')} in force${only.waiting}`;
  const each = roles.map(
    (one) => `${String(one.inForce)} of ${String(one.of)} in ${one.role}${one.waiting}`,
  );
  return `patches in force: ${each.join(', ')}`;
}
