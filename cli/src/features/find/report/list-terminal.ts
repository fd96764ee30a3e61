import { limitName } from '../../../analysis/limits/table';
import type { FindRecord } from '../record';
import { findVerdict } from './document';
import { renderColumns } from '../../../report/text/terminal';
import { range } from '../../../report/text/units';
import { duration, perSecond } from '../../../ui/numbers';
import { isTooWide } from '../analysis/planned-share';
import { wholePriceOf } from '../analysis/price';

const HEAD = [
  ...['workload', 'mode', 'verdict', 'capacity', 'interval', 'CPU per request'],
  ...['plan with', 'limited by'],
];

/** One line per search, as a table of columns as wide as they must be. */
export function renderFinds(records: readonly FindRecord[]): string {
  const rows = records.map((record) => [
    record.workload.name,
    modeOf(record),
    findVerdict(record).word,
    perSecond(record.capacity.ratePerSecond),
    range(record.capacity),
    cpuOf(record),
    isTooWide(record.capacity) ? '-' : perSecond(record.advised.ratePerSecond),
    limitName(record.limit),
  ]);
  return renderColumns(HEAD, rows).join('\n');
}

/** Without it, the capacities of two machines do not compare. */
function cpuOf(record: FindRecord): string {
  const cpuMs = wholePriceOf(record);
  return cpuMs === null ? '-' : duration(cpuMs);
}

function modeOf({ topology }: FindRecord): string {
  if (topology === null) return '-';
  return topology.mode === 'queue'
    ? `queue, ${String(topology.workers.count)} workers`
    : topology.mode;
}
