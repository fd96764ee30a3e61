import { unknown } from '../../../../../loadtests/lib/nearest';
import { Mistake } from '../../../ui/exit';
import type { Fault } from '../fault';
import { CUSTOM } from './custom';
import { rollingUpgrade, scaleIn, drainNode, burst, crashAcrossASchedule } from './operations';
import {
  killWorker,
  killMain,
  killWebhook,
  killRunner,
  stallWorker,
  stallMain,
  stallWebhook,
  oomWorker,
  cutWorker,
} from './processes';
import { failingUpstream, slowUpstream, throttlingUpstream } from './services';
import {
  redisHalfOpen,
  restartRedis,
  stopRedis,
  redisLosesData,
  slowRedis,
  restartPostgres,
  stopPostgres,
  slowPostgres,
  postgresConnectionsUsedUp,
  fullDisk,
} from './stores';

/** In the order in which they are listed: those that happen most and hurt most first. */
export const FAULTS: readonly Fault[] = [
  killWorker,
  killMain,
  killWebhook,
  killRunner,
  stallWorker,
  stallMain,
  stallWebhook,
  redisHalfOpen,
  restartRedis,
  stopRedis,
  redisLosesData,
  slowRedis,
  restartPostgres,
  stopPostgres,
  slowPostgres,
  postgresConnectionsUsedUp,
  oomWorker,
  cutWorker,
  rollingUpgrade,
  scaleIn,
  drainNode,
  fullDisk,
  burst,
  slowUpstream,
  failingUpstream,
  throttlingUpstream,
  crashAcrossASchedule,
];

export function findFault(name: string): Fault {
  const found = FAULTS.find((fault) => fault.name === name);
  if (found === undefined) {
    const known = [...FAULTS.map((fault) => fault.name), CUSTOM];
    throw new Mistake(`${unknown('fault', name, known)}.`);
  }
  return found;
}
