// What is lost when something breaks: every fault in three configurations on both targets, three times where it can lose
// something.
//
// A part is one drill; isNeeded in parts.ts says which of them are repeated. What is lost does not hang on what else the
// machine does, as long as the SLO of the steady phase is met; times do, so that the page says of which drills they were not
// alone. One that broke a promise of a time beside others is measured again, alone. The next ones are started while those
// before them wait for what their load left behind. On two cores, four at a time are too many for pods: three are not. Those
// of the target kubernetes are left out where no KUBECONFIG names a cluster. An invalid drill says nothing and is not kept.
// What was measured with other defaults of the chart than today's counts as missing.
import type { Records, Study } from '../../cli/src/features/study/study';
import { whyNoCluster } from '../up';
import { measuredDrill } from './measured';
import {
  commandOf,
  isAlone,
  isCurrent,
  isNeeded,
  isSlowBeside,
  isUnread,
  PARTS,
  type DrillPart,
  type Drilled,
} from './parts';

function keptOf(name: string, records: Records): Drilled | undefined {
  const record = records.read(name) as Drilled | undefined;
  return record !== undefined && isCurrent(record) && !isUnread(record) ? record : undefined;
}

function recordOf(name: string, records: Records): Drilled | undefined {
  const record = keptOf(name, records);
  return record !== undefined && isSlowBeside(record) ? undefined : record;
}

export default {
  parts: PARTS,
  inside: 'parts/',
  // With six on two cores, each missed its SLO before its fault.
  maxAtOnce: 4,
  isAlone: (part, records) => {
    const record = keptOf(part.name, records);
    return isAlone(part) || (record !== undefined && isSlowBeside(record));
  },
  isDone: ({ name }, records) => recordOf(name, records) !== undefined,
  isNeeded: (part, records) => isNeeded(part, (name) => recordOf(name, records)),
  kindOf: ({ target }) => target,
  whyNot: ({ target }) => (target === 'process' ? null : whyNoCluster()),
  measured: measuredDrill(commandOf),
} satisfies Study<DrillPart>;
