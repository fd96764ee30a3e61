// What is lost when something breaks: every fault in three configurations on both targets, three times where it can lose
// something.
//
//   make build
//   node studies/drills/measure.mjs --list                      what there is, what has a record, and how long it takes
//   node studies/drills/measure.mjs                             the next part without a record
//   node studies/drills/measure.mjs --within 9m                 one after the other, as long as the next one still fits
//   node studies/drills/measure.mjs kill-worker-process-defaults-1
//   lab/cluster/cluster exec node studies/drills/measure.mjs kill-worker-kubernetes-defaults-1
//
//   node studies/drills/measure.mjs --within 40m --at-once 4    four at a time
//
// A part is one drill; isNeeded in parts.mjs says which of them are repeated. What is lost does not hang on what else the
// machine does, as long as the SLO of the steady phase is met; times do, so that the page says of which drills they were not
// alone. One that broke a promise of a time beside others is measured again, alone. The next ones are started while those
// before them wait for what their load left behind. On two cores, four at a time are too many for pods: three are not. Those
// of the target kubernetes are left out where no KUBECONFIG names a cluster. An invalid drill says nothing and is not kept.
// What was measured with other defaults of the chart than today's counts as missing. With SHORT=1 a part is tried: its record
// is printed.
import { recordsOf } from '../archive.mjs';
import { measureParts } from '../in-parts.mjs';
import { measuredDrill } from './measured.mjs';
import { commandOf, isAlone, isCurrent, isNeeded, isSlowBeside, PARTS } from './parts.mjs';

const KEPT = recordsOf('drills', 'parts/');

function keptOf(name) {
  const record = KEPT.read(name);
  return record !== null && isCurrent(record) ? record : undefined;
}

function wasSlowBeside(name) {
  const record = keptOf(name);
  return record !== undefined && isSlowBeside(record);
}

const recordOf = (name) => (wasSlowBeside(name) ? undefined : keptOf(name));

await measureParts({
  parts: PARTS,
  kept: KEPT,
  about: 'studies/drills/measure.mjs',
  shownOut: 'results/drills',
  // With six on two cores, each missed its SLO before its fault.
  maxAtOnce: 4,
  isAlone: (part) => isAlone(part) || wasSlowBeside(part.name),
  isDone: ({ name }) => recordOf(name) !== undefined,
  isNeeded: (part) => isNeeded(part, recordOf),
  kindOf: ({ target }) => target,
  whyNot: ({ target }) =>
    target === 'process' || (process.env.KUBECONFIG ?? '') !== ''
      ? null
      : 'it needs a cluster: run it with lab/cluster/cluster exec, or set KUBECONFIG',
  measured: measuredDrill(commandOf),
});
