import { unknown } from '../../../../../loadtests/lib/nearest';
import { Mistake } from '../../../ui/exit';
import type { InsideFault } from '../fault';
import { AND, CUSTOM, SOAK } from '../record';
import { atOnce } from './combined';
import {
  rollingUpgrade,
  rotateSecrets,
  scaleIn,
  drainNode,
  burst,
  crashAcrossASchedule,
} from './operations';
import {
  killWorker,
  killMain,
  killWebhook,
  killRunner,
  stallWorker,
  stallMain,
  stallWebhook,
  oomWorker,
  oomMain,
  oomMainPayload,
  cutWorker,
  cutMain,
  cutWebhook,
  cutMainRedis,
  cutMainPostgres,
  cutWebhookRedis,
  cutWebhookPostgres,
  takeCpu,
  clockJump,
} from './processes';
import {
  dnsFailure,
  failingUpstream,
  hangingUpstream,
  slowUpstream,
  throttlingUpstream,
} from './services';
import {
  redisHalfOpen,
  restartRedis,
  stopRedis,
  redisFailover,
  redisSentinelFailover,
  redisLosesData,
  slowRedis,
  restartPostgres,
  stopPostgres,
  postgresFailover,
  postgresNewPrimary,
  slowPostgres,
  postgresConnectionsUsedUp,
  poolsUsedUp,
  fullDisk,
  restoreBackup,
} from './stores';

/** In the order in which they are listed: those that happen most and hurt most first. */
export const FAULTS: readonly InsideFault[] = [
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
  redisFailover,
  redisSentinelFailover,
  redisLosesData,
  slowRedis,
  restartPostgres,
  stopPostgres,
  postgresFailover,
  postgresNewPrimary,
  slowPostgres,
  postgresConnectionsUsedUp,
  poolsUsedUp,
  oomWorker,
  oomMain,
  oomMainPayload,
  cutWorker,
  cutMain,
  cutWebhook,
  cutMainRedis,
  cutMainPostgres,
  cutWebhookRedis,
  cutWebhookPostgres,
  takeCpu,
  rollingUpgrade,
  rotateSecrets,
  scaleIn,
  drainNode,
  fullDisk,
  restoreBackup,
  clockJump,
  burst,
  dnsFailure,
  slowUpstream,
  failingUpstream,
  hangingUpstream,
  throttlingUpstream,
  crashAcrossASchedule,
];

export function findFault(name: string): InsideFault {
  const parts = name.split(AND).map(oneOf);
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : atOnce(parts);
}

function oneOf(name: string): InsideFault {
  const found = FAULTS.find((fault) => fault.name === name);
  if (found === undefined) {
    const known = [...FAULTS.map((fault) => fault.name), SOAK, CUSTOM];
    throw new Mistake(`${unknown('fault', name, known)}.`);
  }
  return found;
}

/** Those that may come one after the other, in any order. */
export const SOAKED: readonly InsideFault[] = FAULTS.filter(
  (fault) =>
    fault.isNoSoak !== true &&
    fault.isOnForgetfulRedis !== true &&
    fault.isOnSmallDisk !== true &&
    fault.isOnNames !== true &&
    fault.isOnClock !== true &&
    fault.standbys === undefined &&
    fault.rateFactor === undefined &&
    fault.schedule === undefined,
);
