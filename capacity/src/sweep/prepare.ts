/** From a plan to all that is settled before the first cell. */
import { order } from '../analysis/sweep';
import type { Cell } from '../plan/cells';
import type { SweepPlan } from '../plan/sweep-plan';
import { cellsOf, isServerCell, serverOf, topologyOf } from '../plan/sweep-plan-cells';
import { runId } from '../record/folder';
import { isSecretName } from '../plan/secrets';
import type { SweepRecord } from '../record/sweep-record';
import type { Deployer } from '../targets/deploy';
import { thisMachine } from '../targets/machine';
import { Mistake } from '../ui/exit';
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
      `no cell of the plan is possible here: ${one === undefined ? 'it has none' : one.reason}.`,
    );
  }
  refuseSecrets(possible);
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
    ? 'a server is started on this machine only'
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
function refuseSecrets(cells: readonly Cell[]): void {
  const secret = cells
    .flatMap((cell) => Object.keys(cell))
    .find((name) => name.startsWith('env.') && isSecretName(name));
  if (secret === undefined) return;
  throw new Mistake(
    `${secret} looks like a secret, and a sweep records its plan: leave it out of the plan.`,
  );
}
