// How large a payload a container of n8n survives, by its size and by how it is shared out, and the rule that follows.
import {
  fitRule,
  fittingHeaps,
  isOutlived,
  largestPayloads,
  type Row as FilledRow,
} from '../../../studies/heap/fit';
import { CHART, KINDS } from '../../../studies/heap/parts';
import { ROLES } from '../../../studies/small-pods/parts';
import { columns, link, mib, number, share, table, tableOf } from '../records';
import { distinct, grouped, partsOf } from '../sweeps';

interface Row extends FilledRow {
  capMiB: number;
}
interface Part {
  name: string;
  path: string;
  kind: 'held' | 'returned';
  role: keyof typeof ROLES;
  runner: 'internal' | 'external' | 'none';
  rows: Row[];
}
const RUNNERS = {
  internal: 'in the same container',
  external: 'in a container of its own',
  none: 'none',
};

export const mapParts = (): Part[] => partsOf<Part>('heap', 'map/');
const uncapped = ({ capMiB, containerMiB }: Row): boolean => capMiB > containerMiB * CHART.payload;
const whole = (value: number | null): string => mib(value === null ? null : Math.round(value));
const oneIn = (part: number | null): string =>
  part === null || part === 0 ? '-' : `1/${number(Math.ceil(1 / part))}`;
const rowsOf = (parts: readonly Part[], kind: Part['kind']): Row[] =>
  parts.filter((part) => part.kind === kind).flatMap(({ rows }) => rows);
const ruleOf = (parts: readonly Part[]) =>
  fitRule({ held: rowsOf(parts, 'held'), returned: rowsOf(parts, 'returned').filter(uncapped) });

/** The largest heap of a role in a container that is full before the container is. */
const fittingHeap = ({ rows }: Part, container: number): string =>
  whole(fittingHeaps(rows).find(({ containerMiB }) => containerMiB === container)?.heapMiB ?? null);

/** Messages without a cap, or with one as wide as the container. */
const messageRows = (parts: readonly Part[]) =>
  parts
    .filter(({ kind, rows }) => kind === 'returned' && rows.some(uncapped))
    .flatMap(({ role, runner, rows }) =>
      largestPayloads(rows.filter(uncapped)).map((one) => ({
        role,
        runner,
        ...one,
      })),
    );

export function heapMapAnswer(parts: readonly Part[]) {
  const { heapShare, payloadShare } = ruleOf(parts);
  const killed = rowsOf(parts, 'held').filter(({ outcome }) => outcome === 'killed');
  const killedFrom = Math.min(...killed.map(({ heapMiB, containerMiB }) => heapMiB / containerMiB));
  const tooMuch = Number.isFinite(killedFrom) ? ` (${share(killedFrom)} is too much)` : '';
  const heap =
    heapShare === null
      ? 'In every case, the kernel ended the container before the heap was full'
      : `If the heap limit is at most ${share(heapShare)} of the container's memory limit, the heap fills up before the container does`;
  const message =
    payloadShare === null
      ? 'n8n survived all messages in the test'
      : payloadShare === 0
        ? 'the smallest message in the test ended n8n'
        : `n8n survives messages of up to ${oneIn(payloadShare)} of the container`;
  return {
    sentence: `${heap}, and ${message}.`,
    heap: `${heap}${tooMuch}.`,
    max: `${heapShare === null ? 'no share' : `at most ${share(heapShare)}`} of the memory limit${tooMuch}; the chart sets ${share(CHART.heap)}`,
  };
}

export function heapMapText(parts: readonly Part[]): string {
  const { heapShare, besideMiB, payloadShare } = ruleOf(parts);
  const held = parts.filter(({ kind }) => kind === 'held');
  const capped = rowsOf(parts, 'returned').filter((row) => !uncapped(row));
  return `## The heap map

Containers of several sizes, shared out in several ways; each gets payloads of growing size. The stores and the other roles have no limits.

### The rule

${table(
  ['what', 'measured', 'the chart'],
  [
    ['heap of n8n, most of the container', share(heapShare), share(CHART.heap)],
    ['left beside that heap, at least', whole(besideMiB), 'checked when it is rendered'],
    ['largest message, of the container', oneIn(payloadShare), oneIn(CHART.payload)],
  ],
)}

The first two are for an idle task runner in the same container, and one of them is enough. A runner that is filled too takes its own heap beside that, which is why [the chart](docs/chart/tuning.md#memory) leaves more. With the chart's cap
n8n ended in ${number(capped.filter((row) => !isOutlived(row)).length)} of ${number(capped.length)} payloads.

### The heap of n8n, filled

Payload: ${KINDS.held}. The largest heap that is full before its container is:

${tableOf(held, {
  role: ({ role }) => ROLES[role],
  ...columns(
    distinct(held.flatMap(({ rows }) => rows.map(({ containerMiB }) => containerMiB))).toSorted(
      (a, b) => a - b,
    ),
    whole,
    fittingHeap,
  ),
})}

### The largest message, without a cap

Payload: ${KINDS.returned}. Every size is tried from small to large until n8n ends; a container that is shared out in several ways counts as its worst. Sizes are in MiB.

${tableOf([...grouped(messageRows(parts), ({ role, runner }) => `${role} ${runner}`).values()], {
  role: ([one]) => (one === undefined ? '' : ROLES[one.role]),
  'task runner': ([one]) => (one === undefined ? '' : RUNNERS[one.runner]),
  'container: outlives up to': (rows) =>
    rows
      .map(
        ({ containerMiB, outlivedMiB, endedByMiB }) =>
          `${number(containerMiB)}: ${endedByMiB === null ? 'at least ' : ''}${number(outlivedMiB)}`,
      )
      .join('; '),
})}

Records: \`map/parts/NAME\`, such as ${link(parts[0]?.path ?? '')}`;
}
