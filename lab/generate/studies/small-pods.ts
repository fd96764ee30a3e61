// With how little memory and CPU each role of n8n starts and sustains one request per second, and what lowers them.
import {
  READY_WITHIN_SECONDS,
  ROLES,
  ROOMY,
  SETTINGS,
  type Tried,
} from '../../../studies/small-pods/parts';
import { columns, link, mib, number, tableOf } from '../records';
import type { Answer, StudyPage } from '../study-page';
import { distinct, partsOf } from '../sweeps';

type Setting = keyof typeof SETTINGS;
interface Trial extends Tried {
  readySeconds: number | null;
  cpuSecondsToReady: number | null;
  sent: number;
  expected: number;
  workingSetMiB: number | null;
  end: string | null;
}
interface Found {
  min: number | null;
  trials: Trial[];
}
interface Kept {
  name: string;
  path: string;
  role: keyof typeof ROLES;
  load: number;
}
type Part = Kept &
  (
    | { kind: 'memory' | 'cpu'; bySetting: Partial<Record<Setting, Found>> }
    | { kind: 'settings'; bySetting: Partial<Record<Setting, Trial>> }
  );

const DEFAULT = 'default';
const titleOf = (setting: string): string => SETTINGS[setting as Setting]?.title ?? setting;
/** Limits and memory are whole numbers. */
const whole = (value: number | null | undefined): string =>
  mib(value == null ? null : Math.round(value));
const millicores = (value: number | null): string => (value === null ? '-' : `${number(value)}m`);

/** What became of a limit that is not enough. */
function failureOf({ end, readySeconds, sent, expected }: Trial): string {
  if (end === 'heap') return 'the heap is full';
  if (end === 'memory') return 'killed by the kernel';
  if (end !== null) return 'ends';
  if (readySeconds === null) return 'not ready in time';
  return sent === 0 || expected < sent ? 'no expected response' : 'responses are late';
}

function nextLower({ min: minimum, trials }: Found, inUnit: (value: number) => string): string {
  const [next] = trials.filter(({ passed }) => !passed).toSorted((a, b) => b.value - a.value);
  if (next === undefined) return minimum === null ? '-' : 'not tried';
  return `${inUnit(next.value)}: ${failureOf(next)}`;
}

const searches = (parts: readonly Part[], kind: 'memory' | 'cpu') =>
  parts.flatMap((part) =>
    part.kind === kind
      ? Object.entries(part.bySetting as Record<string, Found>).map(([setting, found]) => ({
          ...{ role: part.role, setting },
          ...found,
        }))
      : [],
  );

/** The least limit of each role, by settings, and why the next lower one is not enough. */
function minTable(parts: readonly Part[], kind: 'memory' | 'cpu'): string {
  const inUnit = kind === 'memory' ? whole : millicores;
  const all = searches(parts, kind);
  const setups = distinct(all.map(({ setting }) => setting));
  const roles = distinct(all.map(({ role }) => role));
  return tableOf(roles, {
    role: (role) => ROLES[role],
    ...columns(setups, titleOf, (role: keyof typeof ROLES, setting) => {
      const found = all.find((one) => one.role === role && one.setting === setting);
      return found === undefined ? null : `${inUnit(found.min)} (${nextLower(found, inUnit)})`;
    }),
  });
}

const memory = (parts: readonly Part[]): string => `### Memory

The CPU is not limited. A start has to be ready within ${number(READY_WITHIN_SECONDS.memory)} s.

${minTable(parts, 'memory')}`;

const cpu = (parts: readonly Part[]): string => `### CPU

Memory is not limited, and the CPU only once n8n runs. A start with less CPU takes its CPU divided by the limit.

${minTable(parts, 'cpu')}`;

function settings(parts: readonly Part[]): string {
  const part = parts.find((one) => one.kind === 'settings');
  if (part?.kind !== 'settings') return '';
  const base = part.bySetting[DEFAULT]?.workingSetMiB ?? NaN;
  const rows = Object.entries(part.bySetting).map(([setting, trial]) => ({ setting, ...trial }));
  return `### What lowers them

${ROLES[part.role]}, with ${whole(ROOMY.memoryMiB)} and ${millicores(ROOMY.cpuMillicores)}, each setting once on top of the chart's default: differences of a few per cent are noise.

${tableOf(rows, {
  settings: ({ setting }) => titleOf(setting),
  'in use after the load': ({ workingSetMiB }) => whole(workingSetMiB),
  "compared with the chart's default": ({ setting, workingSetMiB }) =>
    setting === DEFAULT || workingSetMiB == null ? '' : whole(workingSetMiB - base),
})}`;
}

export function smallPodsAnswer(parts: readonly Part[]): Answer {
  const foundOf = (kind: 'memory' | 'cpu', setting: Setting): Found | undefined =>
    searches(parts, kind).find((one) => one.role === 'main' && one.setting === setting);
  const minOf = (kind: 'memory' | 'cpu', setting: Setting): number | null =>
    foundOf(kind, setting)?.min ?? null;
  const failing = (kind: 'memory' | 'cpu'): number[] =>
    (foundOf(kind, DEFAULT)?.trials ?? [])
      .flatMap(({ passed, value }) => (passed ? [] : [value]))
      .toSorted((one, other) => other - one)
      .slice(0, 1);
  const tooLittle = [...failing('memory').map(whole), ...failing('cpu').map(millicores)].join(
    ' or ',
  );
  const compared = [
    ...[minOf('memory', 'as-it-comes')].flatMap((min) =>
      min === null ? [] : [`${whole(min)} with n8n's defaults`],
    ),
    ...[minOf('memory', 'lean')].flatMap((min) =>
      min === null ? [] : [`${whole(min)} with all memory-saving settings`],
    ),
  ];
  const cpu = minOf('cpu', DEFAULT);
  return {
    sentence: `With the chart's defaults, main in regular mode needs at least ${whole(minOf('memory', DEFAULT))} and ${millicores(cpu)} of CPU to sustain one request per second${tooLittle === '' ? '' : ` (${tooLittle} is too little)`}.`,
    ours: [compared.join(', '), ...(cpu === null ? [] : [`${millicores(cpu)} of CPU`])].join('; '),
  };
}

export const smallPodsText = (parts: readonly Part[]): string => `## Small pods

One process of n8n under a limit that is searched downwards by halving; its stores and the other roles have no limits. A limit
passes if n8n starts and responds as expected to ${number(parts[0]?.load)} requests of last-node, one per second, at most one of them late. In brackets: why the next lower limit is not enough.

${[memory, cpu, settings].map((make) => make(parts)).join('\n\n')}

Records: \`parts/KIND-ROLE\`, such as ${link(parts[0]?.path ?? '')}`;

const kept = (): Part[] => partsOf<Part>('small-pods');

export const smallPods: StudyPage = {
  study: 'small-pods',
  answer: () => smallPodsAnswer(kept()),
  records: kept,
  parts: [() => smallPodsText(kept())],
};
