import { Mistake } from '../../ui/exit';
import type { Fault } from '../fault';
import { burst } from './burst';
import { killMain } from './kill-main';
import { killRunner } from './kill-runner';
import { killWebhook } from './kill-webhook';
import { killWorker } from './kill-worker';
import { redisLosesData } from './redis-loses-data';
import { restartPostgres } from './restart-postgres';
import { restartRedis } from './restart-redis';
import { scaleIn } from './scale-in';
import { stallWorker } from './stall-worker';
import { stopPostgres } from './stop-postgres';
import { stopRedis } from './stop-redis';

/** In the order in which they are listed. */
export const FAULTS: readonly Fault[] = [
  killWorker,
  killMain,
  killWebhook,
  killRunner,
  stallWorker,
  restartRedis,
  stopRedis,
  redisLosesData,
  restartPostgres,
  stopPostgres,
  scaleIn,
  burst,
];

export function findFault(name: string): Fault {
  const found = FAULTS.find((fault) => fault.name === name);
  if (found === undefined) {
    const known = FAULTS.map((fault) => fault.name).join(', ');
    throw new Mistake(`there is no fault '${name}': it is one of ${known}.`);
  }
  return found;
}
