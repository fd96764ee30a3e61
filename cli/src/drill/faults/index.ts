import { Mistake } from '../../ui/exit';
import type { Fault } from '../fault';
import { burst } from './burst';
import { crashAcrossASchedule } from './crash-across-a-schedule';
import { cutWorker } from './cut-worker';
import { drainNode } from './drain-node';
import { fullDisk } from './full-disk';
import { killMain } from './kill-main';
import { killRunner } from './kill-runner';
import { killWebhook } from './kill-webhook';
import { killWorker } from './kill-worker';
import { oomWorker } from './oom-worker';
import { postgresConnectionsUsedUp } from './postgres-connections-used-up';
import { redisHalfOpen } from './redis-half-open';
import { redisLosesData } from './redis-loses-data';
import { restartPostgres } from './restart-postgres';
import { restartRedis } from './restart-redis';
import { rollingUpgrade } from './rolling-upgrade';
import { scaleIn } from './scale-in';
import { slowPostgres } from './slow-postgres';
import { slowRedis } from './slow-redis';
import { stallWorker } from './stall-worker';
import { stopPostgres } from './stop-postgres';
import { stopRedis } from './stop-redis';

/** In the order in which they are listed: those that happen most and hurt most first. */
export const FAULTS: readonly Fault[] = [
  killWorker,
  killMain,
  killWebhook,
  killRunner,
  stallWorker,
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
  crashAcrossASchedule,
];

export function findFault(name: string): Fault {
  const found = FAULTS.find((fault) => fault.name === name);
  if (found === undefined) {
    const known = FAULTS.map((fault) => fault.name).join(', ');
    throw new Mistake(`there is no fault '${name}': choose one of ${known}.`);
  }
  return found;
}
