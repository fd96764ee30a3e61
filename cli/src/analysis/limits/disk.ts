import { USED_UP, type Reading, type LimitRow, type Seen } from './row';
import { percent } from '../../ui/numbers';

/** Share of the time in which something waited for a disk; databases and page writers wait a little in any run. */
const WAITED_SHARE = 0.5;

export const diskRows: LimitRow[] = [
  {
    role: 'host',
    resource: 'disk',
    name: 'host disk',
    advice: 'use a faster disk, or write less: do not keep successful executions',
    kind: 'work',
    read: readDisk,
  },
];

/** A disk that serves many at once can be busy all the time and have room: what counts is who waits. */
function readDisk({ sampled }: Seen): Reading | null {
  const waited = sampled.mean('host', 'ioPressureShare');
  const busy = sampled.mean('host', 'diskBusyShare');
  if (waited === null && busy === null) return null;
  const parts = [
    ...(busy === null ? [] : [`the busiest disk was busy in ${percent(busy)} of the time`]),
    ...(waited === null ? [] : [`something waited for a disk in ${percent(waited)} of the time`]),
  ];
  return {
    utilisation: waited ?? busy ?? 0,
    isUsedUp: waited === null ? (busy ?? 0) >= USED_UP : waited >= WAITED_SHARE,
    evidence: parts.join(', '),
  };
}
