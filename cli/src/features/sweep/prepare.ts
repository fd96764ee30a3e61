/** From a plan to all that is settled before the first cell. */
import { order } from './analysis/drift-and-order';
import type { Cell } from './plan/cells';
import type { SweepPlan } from './plan/plan';
import { cellsOf, isServerCell, serverOf, topologyOf } from './plan/plan-cells';
import { runId } from '../../record/folder';
import { isHarmlessParameter, withoutSecretParts } from '../../plan/secrets/address';
import { withoutSecretWords } from '../../plan/secrets/command';
import { isHarmlessVariable } from '../../plan/secrets/variables';
import type { SweepRecord } from './record';
import type { Deployer } from '../../targets/deploy';
import { thisMachine } from '../../targets/machine';
import { Mistake } from '../../ui/exit';
import { allow } from '../../ui/known-secrets';
import { cellSeconds } from './estimate';

export function prepareSweep(
  plan: SweepPlan,
  name: string,
  command: string[],
  deployer: Deployer,
): SweepRecord {
  const { possible, skipped } = cellsOf(plan, [(cell) => cannotHave(cell, deployer)]);
  const [first] = possible;
  if (first === undefined) {
    const [one] = skipped;
    throw new Mistake(
      `no cell of the plan can be measured here: ${one === undefined ? 'the plan has no cells' : one.reason}.`,
    );
  }
  refuseSecrets(plan);
  const control = controlOf(plan, possible) ?? first;
  const steps = order(possible, {
    repeats: plan.repeats,
    control,
    controlEvery: plan.controlEvery,
    seed: plan.seed,
  });
  const startedAt = new Date();
  return {
    schemaVersion: 1,
    kind: 'sweep',
    id: runId(startedAt, name, 'sweep'),
    name,
    title: plan.title ?? name,
    startedAt: startedAt.toISOString(),
    command,
    machine: thisMachine(),
    plan,
    steps,
    skipped,
    estimatedSeconds: steps.reduce((sum, { cell }) => sum + cellSeconds(cell, plan), 0),
  };
}

function cannotHave(cell: Cell, deployer: Deployer): string | null {
  if (!isServerCell(cell)) return deployer.cannot(topologyOf(cell));
  return deployer.cannotServe === undefined
    ? 'a server can only be started on this machine'
    : deployer.cannotServe(serverOf(cell));
}

/** The cell that `control` names; it need not name all dimensions. */
function controlOf({ control }: SweepPlan, possible: readonly Cell[]): Cell | null {
  if (control === undefined) return null;
  const wanted = Object.entries(control);
  const found = possible.find((cell) => wanted.every(([name, value]) => cell[name] === value));
  if (found !== undefined) return found;
  const words = wanted.map(([name, value]) => `${name} ${String(value)}`).join(', ');
  throw new Mistake(`control: no possible cell of the plan has ${words}.`);
}

/** A plan is recorded as it is, since a sweep goes on from its record: nothing in it can be masked. */
function refuseSecrets({ fixed, dimensions, cells, control, quick, recorded }: SweepPlan): void {
  const given = [fixed, dimensions, ...(cells ?? []), control, quick?.dimensions].flatMap((part) =>
    Object.entries(part ?? {}),
  );
  for (const [name, values] of given) {
    if (recorded?.includes(name) !== true) continue;
    for (const value of [values].flat()) allow(String(value));
  }
  const hidden = given.find(
    ([name, values]) =>
      recorded?.includes(name) !== true &&
      [values].flat().some((value) => !isShown(name, String(value))),
  );
  if (hidden === undefined) return;
  const [name] = hidden;
  throw new Mistake(
    `${name} of the plan may contain a secret, and a sweep records its plan: remove ${name}, or add recorded: [${name}] to the plan if everyone who sees the results may read each of its values.`,
  );
}

function isShown(name: string, value: string): boolean {
  const [, kind = name, free = ''] = /^(env|param)\.(.*)$/.exec(name) ?? [];
  switch (kind) {
    case 'env':
      return isHarmlessVariable(free, value);
    case 'param':
      return /^-?\d+(\.\d+)?$/.test(value) || isHarmlessParameter(free, value);
    case 'command':
      return withoutSecretWords(value) === value;
    default:
      return withoutSecretParts(value) === value;
  }
}
