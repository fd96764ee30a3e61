// A large text under the default heap, a fitted one and one that is too high, on this machine and in pods.
import { mib, number, outOf, tableOf } from '../records';
import type { StudyPage } from '../study-page';
import { cellsOf, sum, sweepLink, sweepOf, type MeasuredCell } from '../sweeps';
import { heapMapAnswer, heapMapText, mapParts } from './heap-map';

const HERE = sweepOf('heap', 'heap');
const IN_PODS = sweepOf('heap-pods', 'heap');
type Kind = 'default' | 'fitted' | 'too high';

/** Which of the three published heaps a cell has; a size by hand stands in Node.js's own options. */
function kindOf({ cell }: MeasuredCell): Kind {
  if (cell['env.NODE_OPTIONS'] !== undefined) return 'too high';
  return cell['heapMiB'] === 'auto' ? 'fitted' : 'default';
}
const heapOf = (one: MeasuredCell): string =>
  ({
    default: `the default of Node.js ${one.record.versions['node'] ?? ''}`.trim(),
    fitted: "fitted: the chart's share",
    'too high': `too high: ${/=(\d+)/.exec(String(one.cell['env.NODE_OPTIONS']))?.[1] ?? ''} MiB`,
  })[kindOf(one)];

/** Ends of n8n for want of memory, by what ran out. */
const endsBy = ({ record }: MeasuredCell, resource: 'heap' | 'memory') =>
  record.events.filter(
    ({ exhausted }) => exhausted?.role === 'main' && exhausted.resource === resource,
  );
const respondedTo = ({ record: { summary } }: MeasuredCell): number =>
  summary.offered.requests - summary.errors.requests;

const rowsOf = (sweep: string): MeasuredCell[] =>
  cellsOf(sweep).toSorted(
    (a, b) =>
      String(b.cell['n8n']).localeCompare(String(a.cell['n8n'])) ||
      heapOf(a).localeCompare(heapOf(b)),
  );
/** What became of the requests of a run, and what ended n8n. */
const outcomeOf = (one: MeasuredCell | undefined): string => {
  if (one === undefined) return '-';
  const ends = [
    [endsBy(one, 'heap').length, 'V8'] as const,
    [endsBy(one, 'memory').length, 'the kernel'] as const,
  ].filter(([count]) => count > 0);
  const ended = ends.map(([count, by]) => `, ended by ${by} ${number(count)}x`).join('');
  return `${number(respondedTo(one))} of ${number(one.record.summary.offered.requests)}${ended}`;
};

function hog(): string {
  const [first] = rowsOf(HERE);
  const { profile, workload } = first?.record ?? {};
  return `## A text of ${number(Number(workload?.parameters['mib']))} MiB

The published experiment: one execution keeps ${number(Number(workload?.parameters['mib']))} MiB of text in n8n itself, every ${number(1 / (profile?.ratePerSecond ?? NaN))} s for ${number(profile?.durationSeconds)} s. Under the
default heap n8n died with "JavaScript heap out of memory"; a fitted heap let the text pass; with too high a heap the kernel killed n8n. Expected responses:

${tableOf(rowsOf(HERE), {
  n8n: ({ cell }) => cell['n8n'] ?? '',
  'memory limit': ({ cell }) => mib(Number(cell['memoryMiB'])),
  heap: heapOf,
  'as a process': outcomeOf,
  'in a pod': (one) =>
    outcomeOf(
      rowsOf(IN_PODS).find(
        (pod) => pod.cell['n8n'] === one.cell['n8n'] && kindOf(pod) === kindOf(one),
      ),
    ),
})}

${whyNotAsPublished()}

${sweepLink(HERE)}, in pods ${sweepLink(IN_PODS)}, which \`lab/cluster/cluster exec ./n8n-tuned study heap-pods\` repeats.`;
}

/** Whether all came out as published. */
const isAsPublished = (rows: readonly MeasuredCell[]): boolean =>
  rows.every((one) => {
    const [heap, memory] = [endsBy(one, 'heap').length > 0, endsBy(one, 'memory').length > 0];
    return { fitted: !heap && !memory, default: heap, 'too high': memory }[kindOf(one)];
  });

/** Says by whose limit Node.js sized the default heap, if it was not full before its container. */
function whyNotAsPublished(): string {
  const differs = rowsOf(HERE).filter((one) => kindOf(one) === 'default' && !isAsPublished([one]));
  if (differs.length === 0) return '';
  const names = differs.map(
    ({ cell, record }) => `n8n ${String(cell['n8n'])} on Node.js ${record.versions['node'] ?? ''}`,
  );
  return `**Why it differs from what was published.** With the default heap ${names.join(' and ')} is ended by the kernel as a process
of this machine, and by V8 in a pod. In its pod, Node.js finds the memory limit and sizes its heap by it. Here it sizes the heap by
the memory of the machine.`;
}

function answer() {
  const rows = [...rowsOf(HERE), ...rowsOf(IN_PODS)];
  const of = (kind: Kind): string => {
    const own = rows.filter((one) => kindOf(one) === kind);
    return outOf(
      sum(own.map(respondedTo)),
      sum(own.map(({ record }) => record.summary.offered.requests)),
    );
  };
  const kept = number(Number(rows[0]?.record.workload.parameters['mib']));
  const map = heapMapAnswer(mapParts());
  return {
    sentence: `Of requests whose execution keeps ${kept} MiB of text, n8n responds to ${of('default')} with the default heap and to ${of('fitted')} with the chart's. It responds to ${of('too high')} with a heap that is too high for its container. ${map.sentence}`,
    published:
      'ends under the default heap, passes with a fitted one, is killed with too high a one',
    ours: isAsPublished(rows) ? 'the same' : 'not all the same',
  };
}

export const heap: StudyPage = {
  study: 'heap',
  answer,
  records: mapParts,
  parts: [hog, () => heapMapText(mapParts())],
};
