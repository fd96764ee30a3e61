/** The part of a plan that one of several load generators makes. Nothing is imported from k6 here. */
import { lanesOf } from './arrivals.ts';
import { Mistake } from './mistake.ts';
import type { LoadPlan } from './profile.ts';

export interface Share {
  /** From 0. */
  index: number;
  /** How many generators make the plan together. */
  of: number;
}

export const WHOLE: Share = { index: 0, of: 1 };

/** `2/3` is the second of three. */
export function parseShare(text: string): Share {
  const [, number = '', of = ''] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const share = { index: Number(number) - 1, of: Number(of) };
  if (number === '' || share.index < 0 || share.index >= share.of) {
    throw new Mistake(`SHARE is '${text}': use a form such as 2/3, the second of three generators`);
  }
  return share;
}

/** The number of one's own lane among those of all generators: they are dealt out in turns. */
export const laneOf = (own: number, { index, of }: Share): number => own * of + index;

/** The number of lanes of all generators: each has the same number of them. */
export const allLanes = (plan: Pick<LoadPlan, 'stages'>, generators: number): number =>
  lanesOf(plan, generators) * generators;

/** The clients of a closed loop that this generator is. */
export function clientsOf({ clients }: Pick<LoadPlan, 'clients'>, { index, of }: Share): number {
  if (clients < of) {
    throw new Mistake(
      `${String(clients)} clients cannot be shared among ${String(of)} generators: use at least as many clients as generators`,
    );
  }
  return Math.floor(clients / of) + (index < clients % of ? 1 : 0);
}
