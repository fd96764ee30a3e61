// How large a payload a container of n8n survives, by its size and by how it is shared out, and the rule that follows.
import {
  fitRule,
  fittingHeaps,
  isOutlived,
  largestPayloads,
  OUTCOMES,
} from '../../../studies/heap/fit';
import { CHART, KINDS } from '../../../studies/heap/parts';
import { ROLES } from '../../../studies/small-pods/parts';
import { hrefOf, number, table } from '../records.ts';
import { areQuick, measuredOn, ONLY_QUICK, partsOf } from './study.mjs';

const RUNNERS = {
  internal: 'in the same container',
  external: 'in a container of its own',
  none: 'none',
};

const all = () => partsOf('heap', 'map/');
const rowsOf = (parts) => parts.flatMap(({ rows }) => rows);
const uncapped = ({ capMiB, containerMiB }) => capMiB > containerMiB * CHART.payload;
const inMiB = (value) => (value === null ? '-' : `${number(Math.round(value))} MiB`);
const percent = (share) => (share === null ? '-' : `${number(100 * share)}%`);
const oneIn = (share) => (share === null || share === 0 ? '-' : `1/${Math.ceil(1 / share)}`);
const sizes = (values) => [...new Set(values)].toSorted((a, b) => a - b);

function ruleOf(parts) {
  const of = (kind) => rowsOf(parts.filter((part) => part.kind === kind));
  return fitRule({ held: of('held'), returned: of('returned').filter(uncapped) });
}

/** Each heap, filled: a row per container, a column per share of it. */
function filledPart(parts) {
  const own = parts.filter(({ kind }) => kind === 'held');
  if (own.length === 0) return '';
  const tables = own.map((part) => {
    const shares = sizes(part.rows.map(({ heapMiB, containerMiB }) => heapMiB / containerMiB));
    const endOf = (containerMiB, share) => {
      const same = part.rows.filter(
        (row) => row.containerMiB === containerMiB && row.heapMiB / containerMiB === share,
      );
      if (same.length === 0) return '';
      const fits = Math.max(0, ...same.filter(isOutlived).map(({ payloadMiB }) => payloadMiB));
      const last = same.find((row) => !isOutlived(row));
      return `${inMiB(fits)} fit, ${last === undefined ? 'nothing ended it' : `${inMiB(last.payloadMiB)}: ${OUTCOMES[last.outcome]}`}`;
    };
    const rows = fittingHeaps(part.rows).map(({ containerMiB, heapMiB }) => [
      inMiB(containerMiB),
      ...shares.map((share) => endOf(containerMiB, share)),
      inMiB(heapMiB),
    ]);
    const heads = shares.map((share) => `heap ${percent(share)}`);
    return `${ROLES[part.role]}, task runner ${RUNNERS[part.runner]}, idle:

${table(['container', ...heads, 'largest heap that V8 ends'], rows)}`;
  });
  return `### The heap of n8n, filled

Payload: ${KINDS.held}. Where the heap is full before the container is, V8 ends n8n with a line in its log; otherwise the kernel does,
without one.

${tables.join('\n\n')}`;
}

/** The largest payload that passed; where none did, less than the smallest that was tried. */
function upTo(largestMiB, { rows }, containerMiB) {
  if (largestMiB > 0) return inMiB(largestMiB);
  const tried = rows.filter((row) => row.containerMiB === containerMiB);
  return `less than ${inMiB(Math.min(...tried.map(({ payloadMiB }) => payloadMiB)))}`;
}

/** Messages without a cap, or with one as wide as the container. */
function messagesPart(parts) {
  const own = parts.filter(({ kind, rows }) => kind === 'returned' && rows.some(uncapped));
  if (own.length === 0) return '';
  const rows = own.flatMap((part) =>
    largestPayloads(part.rows.filter(uncapped)).map(
      ({ containerMiB, passesMiB, outlivedMiB, endedByMiB }) => [
        ROLES[part.role],
        RUNNERS[part.runner],
        inMiB(containerMiB),
        upTo(passesMiB, part, containerMiB),
        upTo(outlivedMiB, part, containerMiB),
        `${endedByMiB === null ? 'at least ' : ''}${oneIn(outlivedMiB / containerMiB)}`,
        inMiB(endedByMiB),
        inMiB(Math.floor(containerMiB * CHART.payload)),
      ],
    ),
  );
  return `### The largest message, without a cap

Payload: ${KINDS.returned}. In queue mode it reaches main and webhook processors by the database. Every size
is tried from small to large until n8n ends; a container that is shared out in several ways counts as its worst.

${table(['role', 'task runner', 'container', 'responds up to', 'outlives up to', 'of the container', 'ended by', "the chart's cap"], rows)}`;
}

function cappedPart(parts) {
  const capped = parts.flatMap(({ role, kind, rows }) =>
    kind === 'returned'
      ? rows.filter((row) => !uncapped(row)).map((row) => ({ role, ...row }))
      : [],
  );
  if (capped.length === 0) return '';
  const ended = capped.filter((row) => !isOutlived(row)).length;
  const rows = capped.map(({ role, containerMiB, capMiB, payloadMiB, outcome, peakMiB }) => [
    ROLES[role],
    inMiB(containerMiB),
    inMiB(capMiB),
    inMiB(payloadMiB),
    OUTCOMES[outcome],
    inMiB(peakMiB),
  ]);
  return `### With the chart's cap

n8n ended in ${number(ended)} of ${number(capped.length)} payloads.

${table(['role', 'container', 'cap', 'payload', 'what became of it', 'memory, most'], rows)}`;
}

function rulePart(parts) {
  if (areQuick(parts)) return '';
  const { heapShare, besideMiB, payloadShare } = ruleOf(parts);
  return `### The rule

${table(
  ['what', 'measured', 'the chart'],
  [
    ['heap of n8n, most of the container', percent(heapShare), percent(CHART.heap)],
    ['left beside that heap, at least', inMiB(besideMiB), 'checked when it is rendered'],
    ['largest message, of the container', oneIn(payloadShare), oneIn(CHART.payload)],
  ],
)}

The first two are for an idle task runner in the same container, and one of them is enough. A runner that is filled at the
same time takes its own heap beside that, which is why [the chart](docs/chart/memory.md) leaves more.`;
}

export function heapMapAnswer(parts) {
  if (areQuick(parts)) return ONLY_QUICK;
  const { heapShare, payloadShare } = ruleOf(parts);
  const heap =
    heapShare === null
      ? 'No heap of a container was filled without the kernel ending it'
      : `A heap of up to ${percent(heapShare)} of its container is full before the container is`;
  const message =
    payloadShare === null
      ? 'no message that was tried ended n8n'
      : payloadShare === 0
        ? 'the smallest message that was tried ended n8n'
        : `n8n outlives messages of ${oneIn(payloadShare)} of it`;
  return {
    sentence: `${heap}, and ${message}.`,
    ours: `the chart gives ${percent(CHART.heap)} and ${oneIn(CHART.payload)}`,
  };
}

/** Of what was kept of the parts. */
export function heapMapText(parts) {
  if (parts.length === 0) return '';
  const links = parts.map(({ name, path }) => `[${name}](${hrefOf(path)})`).join(', ');
  const tables = [filledPart, messagesPart, cappedPart, rulePart].map((make) => make(parts));
  return `## The heap map

Containers of several sizes, shared out in several ways between n8n's heap, that of its task runner and the largest message;
each gets payloads of growing size. The stores and the other roles have no limits. ${measuredOn(parts)}

${tables.filter((text) => text !== '').join('\n\n')}

Records: ${links}; \`n8n-tuned study heap\``;
}

export const heapMap = { answer: () => heapMapAnswer(all()), part: () => heapMapText(all()) };
