// The pages of all studies, each beside the records of its study.
import type { Generated } from './records';
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
import {
  arrivals,
  findAgainstStaircase,
  generators,
  knownCapacity,
  searchQuality,
} from './studies/search';
import { smallPods } from './studies/small-pods';
import { cores, tuning } from './studies/tuning';
import { upgradeGate } from './studies/upgrade-gate';
import { filesOfPage, type StudyPage } from './study-page';

export const STUDIES: readonly StudyPage[] = [
  ...[charts, taskRunners, comparisons, patches, tuning, cores, queue, workers],
  ...[drills, drillSettings, manyKills, capacity, proof, smallPods, heap, heapFloors],
  ...[kubernetes, upgradeGate, searchQuality, knownCapacity, findAgainstStaircase],
  ...answers(),
  ...[arrivals, generators, plantedLimits, limits, cpuProfile, statements, isolates, isolatePool],
  ...[databasePool, sessions, ownMain, closedLoop, clusterLoop, balancing, rightSizing],
  memoryOverTime,
];

export const studies = (): Generated => ({
  files: Object.assign({}, ...STUDIES.map(filesOfPage)) as Record<string, string>,
  owned: { folder: 'studies', pattern: /^studies\/[^/]+\/README\.md$/ },
});
