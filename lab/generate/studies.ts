// The pages of all studies, each beside the records of its study, and the list of what shows the result of which study.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { filled, link, number, read, readJson, root, table, type Generated } from './records';
import { answers } from './studies/answers';
import { balancing } from './studies/balancing';
import { capacity, comparisons, patches, proof } from './studies/capacity';
import { charts, taskRunners } from './studies/charts';
import { clusterLoop } from './studies/cluster-loop';
import { databasePool, sessions, statements } from './studies/database';
import { drills, drillSettings, manyKills } from './studies/drills';
import { cpuProfile, heapFloors, isolatePool, isolates } from './studies/expressions';
import { heap } from './studies/heap';
import { kubernetes } from './studies/kubernetes';
import { limits, plantedLimits } from './studies/limits';
import { memoryOverTime } from './studies/memory-over-time';
import { closedLoop, ownMain } from './studies/own-main';
import { queue, workers } from './studies/queue';
import { rightSizing } from './studies/right-sizing';
import { arrivals, generators, knownCapacity, searchQuality } from './studies/search';
import { smallPods } from './studies/small-pods';
import { cores, tuning } from './studies/tuning';
import { upgradeGate } from './studies/upgrade-gate';
import { filesOfPage, linksFrom, pathOfPage, questionOf, type StudyPage } from './study-page';

export const STUDIES: readonly StudyPage[] = [
  ...[charts, taskRunners, comparisons, patches, tuning, cores, queue, workers],
  ...[drills, drillSettings, manyKills, capacity, proof, smallPods, heap, heapFloors],
  ...[kubernetes, upgradeGate, searchQuality, knownCapacity],
  ...answers(),
  ...[arrivals, generators, plantedLimits, limits, cpuProfile, statements, isolates, isolatePool],
  ...[databasePool, sessions, ownMain, closedLoop, clusterLoop, balancing, rightSizing],
  memoryOverTime,
];

const OWN_USER = ['regular', 'queue'].map((name) => `studies/own-user/results/${name}.json`);

/** No other page shows it: it was asked to rule out a cost, and it found none. */
function ownUser(): string {
  const ratios = OWN_USER.map((path) => {
    const { ratio } = readJson<{ ratio: { value: number; low: number; high: number } }>(path);
    return `${number(ratio.value)}x (${number(ratio.low)} to ${number(ratio.high)}; ${link(path)})`;
  });
  return `With both, n8n handled ${ratios[0] ?? ''} as many requests in regular mode, and ${ratios[1] ?? ''} in queue mode.`;
}

const onPage = (page: string): string => `[${page}](${page})`;

/** What shows the result of a study that has no page of its own. */
export const SHOWN: Record<string, () => string> = {
  alerts: () => onPage('monitoring/alerts/README.md'),
  answers: () => 'No records are kept yet.',
  'heap-pods': () => onPage('studies/heap/README.md'),
  modes: () => onPage('docs/kubernetes.md'),
  'own-main-pods': () => onPage('studies/own-main/README.md'),
  'own-user': ownUser,
  'right-sizing-pods': () => onPage('studies/right-sizing/README.md'),
  'search-traces': () =>
    'Tests of the search replay [the records](studies/search-traces/results.jsonl.gz).',
  twins: () => onPage('docs/own-workflow.md'),
  versions: () => onPage('docs/compatibility.md'),
};

const LIST = 'studies/README.md';

function list(): string {
  const names = readdirSync(join(root, 'studies'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const rows = names.toSorted().map((study) => {
    const page = STUDIES.find((one) => one.study === study);
    const name = page === undefined ? `\`${study}\`` : `[\`${study}\`](${pathOfPage(page)})`;
    const shown = page === undefined ? SHOWN[study]?.() : '';
    if (shown === undefined) throw new Error(`nothing says what shows the result of ${study}`);
    return [name, `${questionOf({ study, ...page })} ${shown}`.trim()];
  });
  return table(['study, with its page', 'question'], rows);
}

export const studies = (): Generated => ({
  files: {
    ...(Object.assign({}, ...STUDIES.map(filesOfPage)) as Record<string, string>),
    [LIST]: filled(read(LIST), { list: linksFrom(LIST, list()) }, 'studies'),
  },
  owned: { folder: 'studies', pattern: /^studies\/[^/]+\/README\.md$/ },
});
