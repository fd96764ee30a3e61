// The pages of all studies, each beside the records of its study.
import { arrivals } from './studies/arrivals.mjs';
import { balancing } from './studies/balancing.mjs';
import * as answers from './studies/answers.mjs';
import { chartOnCluster, charts } from './studies/chart.mjs';
import { clusterLoop } from './studies/cluster-loop.mjs';
import { capacities, closedLoops, comparisons, proofs } from './studies/command.mjs';
import { cpuProfiles } from './studies/cpu-profile.mjs';
import { databasePool } from './studies/database-pool.mjs';
import * as drills from './studies/drills.mjs';
import { drillTable } from './studies/drill-table.mjs';
import { settings } from './studies/drill-settings.mjs';
import { manyKills } from './studies/many-kills.mjs';
import { againstStaircase, staircaseAnswer } from './studies/find-against-staircase.mjs';
import { generators } from './studies/generators.mjs';
import { heapHog } from './studies/heap-hog.mjs';
import { heapMap } from './studies/heap-map.mjs';
import * as kubernetes from './studies/kubernetes.mjs';
import { plantedLimits } from './studies/limits.mjs';
import { limitsBeneath } from './studies/limits-beneath.mjs';
import { memoryOverTime } from './studies/memory-over-time.mjs';
import { heapFloors, isolates, sessions } from './studies/parts.mjs';
import { ownMain } from './studies/own-main.mjs';
import { queue } from './studies/queue.mjs';
import { prediction } from './studies/queue-prediction.mjs';
import { rightSizing } from './studies/right-sizing.mjs';
import { knownCapacities, searchQuality } from './studies/search.mjs';
import { smallPods } from './studies/small-pods.mjs';
import { isolatePool } from './studies/isolate-pool.mjs';
import { sessionOnce } from './studies/session-once.mjs';
import { statements } from './studies/statements.mjs';
import { taskRunners } from './studies/task-runners.mjs';
import { tenTimes } from './studies/ten-times.mjs';
import { coresOfOneProcess, coresPlots, tuningProfiles } from './studies/tuning.mjs';
import { upgradeGate } from './studies/upgrade-gate.mjs';
import type { Generated } from './records';
import { filesOfPage, type StudyPage } from './study-page';

/** In the order of what a reader asks first. */
export const STUDIES: readonly StudyPage[] = [
  {
    study: 'charts',
    question: 'What does this chart do in real pods, compared with others?',
    answer: answers.charts,
    parts: [charts, chartOnCluster],
  },
  {
    study: 'comparisons',
    question: 'What do the settings of this kit gain?',
    answer: answers.settings,
    parts: [() => comparisons('comparisons')],
  },
  {
    study: 'patches',
    question: 'What do the patches gain?',
    parts: [() => comparisons('patches'), sessionOnce],
  },
  {
    study: 'tuning',
    question: 'What do the tuning profiles gain, by workload and mode?',
    parts: [tuningProfiles],
  },
  {
    study: 'cores',
    question: 'How much CPU can one process of n8n use?',
    parts: [coresOfOneProcess],
    plots: coresPlots,
  },
  {
    study: 'queue',
    question: 'When does a main with workers beat one process?',
    answer: queue.answer,
    parts: [queue.matrix],
    plots: queue.plots,
  },
  {
    study: 'workers',
    question: 'How well does predict know the number of workers?',
    parts: [prediction],
  },
  {
    study: 'drills',
    question: 'What is lost when something breaks under load?',
    answer: drills.answer,
    parts: [drillTable],
  },
  {
    study: 'drill-settings',
    question: 'Which settings decide what a fault costs?',
    parts: [settings],
  },
  {
    study: 'many-kills',
    question: 'What is lost of very many requests while a worker is killed every minute?',
    parts: [manyKills],
  },
  {
    study: 'capacity',
    question: 'How much does an n8n sustain?',
    answer: answers.capacity,
    parts: [capacities, tenTimes],
  },
  {
    study: 'proof',
    question: 'Do recommended values deliver the capacity?',
    parts: [proofs],
  },
  {
    study: 'small-pods',
    question: 'With how little memory and CPU does each role of n8n run?',
    answer: smallPods.answer,
    parts: [smallPods.part],
  },
  {
    study: 'heap',
    question: 'How much of a container may the heap of n8n and a message take?',
    answer: () => {
      const [first, second] = [heapHog.answer(), heapMap.answer()];
      return { ...first, sentence: `${first?.sentence ?? ''} ${second.sentence}` };
    },
    parts: [...heapHog.parts, heapMap.part],
    plots: heapHog.plots,
  },
  {
    study: 'heap-floors',
    question: 'With how little heap does n8n start?',
    parts: [heapFloors],
  },
  {
    study: 'task-runners',
    question: 'Is the internal or the external task runner better?',
    parts: [taskRunners],
  },
  {
    study: 'kubernetes',
    question: 'Does n8n sustain as much in pods as in processes with the same limits?',
    answer: kubernetes.answer,
    parts: [kubernetes.sideBySide, kubernetes.commands],
  },
  {
    study: 'upgrade-gate',
    question: 'Is the next version of n8n slower, and is a slowdown noticed?',
    answer: upgradeGate.answer,
    parts: [upgradeGate.part],
  },
  {
    study: 'search-quality',
    question: 'How far off is `find` on systems of known capacity?',
    parts: [searchQuality],
  },
  {
    study: 'known-capacity',
    question: 'How far off is `find` on real servers of known capacity?',
    answer: answers.search,
    parts: [knownCapacities],
  },
  {
    study: 'find-against-staircase',
    question: 'How far off is `find` on a real n8n?',
    answer: () => ({ sentence: staircaseAnswer() }),
    parts: [againstStaircase],
  },
  {
    study: 'arrivals',
    question: 'By how much do even arrivals flatter the p95?',
    parts: [arrivals],
  },
  {
    study: 'generators',
    question: 'What does it cost to merge the requests of many load generators?',
    parts: [generators],
  },
  {
    study: 'planted-limits',
    question: 'Is the bottleneck named correctly?',
    answer: answers.bottleneck,
    parts: [plantedLimits],
  },
  {
    study: 'limits',
    question: 'How far is n8n from what it is built on?',
    answer: limitsBeneath.answer,
    parts: [limitsBeneath.part],
    plots: limitsBeneath.plots,
  },
  {
    study: 'cpu-profile',
    question: 'Where does the CPU of a request go?',
    parts: [cpuProfiles],
  },
  {
    study: 'statements',
    question: 'Which statements does an execution send to PostgreSQL?',
    parts: [statements],
  },
  {
    study: 'isolates',
    question: 'What does a sandbox for expressions cost?',
    answer: answers.insideN8n,
    parts: [isolates],
  },
  {
    study: 'isolate-pool',
    question: 'How many sandboxes for expressions should n8n keep ready?',
    parts: [isolatePool],
  },
  {
    study: 'database-pool',
    question: 'What does a small pool of database connections cost in bursts?',
    parts: [databasePool],
  },
  {
    study: 'sessions',
    question: 'What do sessions with PostgreSQL cost?',
    parts: [sessions],
  },
  {
    study: 'own-main',
    question: 'What does a process per execution cost, compared with one process for all?',
    answer: ownMain.answer,
    parts: ownMain.parts,
    plots: ownMain.plots,
  },
  {
    study: 'closed-loop',
    question: 'What does a process per execution cost without limits?',
    answer: answers.ownMain,
    parts: [closedLoops],
  },
  {
    study: 'cluster-loop',
    question: 'How much work per request makes several processes worthwhile?',
    answer: clusterLoop.answer,
    parts: clusterLoop.parts,
    plots: clusterLoop.plots,
  },
  {
    study: 'balancing',
    question: 'What spreads requests over processes best, and how evenly?',
    answer: balancing.answer,
    parts: balancing.parts,
    plots: balancing.plots,
  },
  {
    study: 'right-sizing',
    question: 'How much CPU and memory, and how many instances, does it take for documents?',
    answer: rightSizing.answer,
    parts: rightSizing.parts,
    plots: rightSizing.plots,
  },
  {
    study: 'memory-over-time',
    question: 'How much memory do HTTP servers take under many connections?',
    answer: memoryOverTime.answer,
    parts: memoryOverTime.parts,
    plots: memoryOverTime.plots,
  },
];

export const studies = (): Generated => ({
  files: Object.assign({}, ...STUDIES.map(filesOfPage)) as Record<string, string>,
  owned: { folder: 'studies', pattern: /^studies\/[^/]+\/(README\.md|[^/]+\.svg)$/ },
});
