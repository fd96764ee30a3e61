// The pages of docs/results/: question, answer in one sentence, and the parts that have the tables. A page is written
// when one of its parts has a record.
import { arrivals } from './arrivals.mjs';
import { balancing } from './balancing.mjs';
import * as answers from './answers.mjs';
import { chartOnCluster, charts } from './chart.mjs';
import { clusterLoop } from './cluster-loop.mjs';
import { capacities, comparisons, proofs, sweeps } from './command.mjs';
import { ctrlC } from './ctrl-c.mjs';
import { cpuProfiles } from './cpu-profile.mjs';
import { databasePool } from './database-pool.mjs';
import * as drills from './drills.mjs';
import { againstStaircase } from './find-against-staircase.mjs';
import { generators } from './generators.mjs';
import { heapHog } from './heap-hog.mjs';
import { heapMap } from './heap-map.mjs';
import * as kubernetes from './kubernetes.mjs';
import { plantedLimits } from './limits.mjs';
import { limitsBeneath } from './limits-beneath.mjs';
import { memoryOverTime } from './memory-over-time.mjs';
import {
  heapFloors,
  isolates,
  manyRequests,
  nodeAccuracy,
  samplerCost,
  sessions,
} from './parts.mjs';
import { ownMain } from './own-main.mjs';
import { queue } from './queue.mjs';
import { requestCosts } from './request-costs.mjs';
import { rightSizing } from './right-sizing.mjs';
import { knownCapacities, searchQuality } from './search.mjs';
import { smallPods } from './small-pods.mjs';
import { isolatePool } from './isolate-pool.mjs';
import { sessionOnce } from './session-once.mjs';
import { statements } from './statements.mjs';
import { taskRunners } from './task-runners.mjs';
import { tenTimes } from './ten-times.mjs';
import { coresOfOneProcess, coresPlots, tuningProfiles } from './tuning.mjs';
import { upgradeGate } from './upgrade-gate.mjs';

import type { Chart } from '../../../cli/src/report/plot/chart';

export interface Answer {
  sentence: string;
  published?: string;
  ours?: string;
  ratio?: string;
}
export interface Page {
  name: string;
  question: string;
  answer: () => Answer;
  parts: (() => string)[];
  plots: () => Chart[];
}

/** The answer of a page whose two parts have one each; the first may have none. */
const both = (first: Answer | null, second: Answer): Answer =>
  first === null
    ? second
    : {
        ...first,
        sentence: `${first.sentence} ${second.sentence}`,
        ours: [first.ours, second.ours].filter((text) => text !== undefined).join('; '),
      };

/** [name of the page, question, what gives the answer, parts, plots] */
const ALL: [string, string, () => Answer, (() => string)[], (() => unknown[])?][] = [
  [
    'own-main',
    'What does a process per execution cost, compared with one process for all?',
    ownMain.answer,
    ownMain.parts,
    ownMain.plots,
  ],
  [
    'queue',
    'When does a main with workers beat one process?',
    queue.answer,
    queue.parts,
    queue.plots,
  ],
  [
    'limits',
    'How far is n8n from what it is built on?',
    limitsBeneath.answer,
    [limitsBeneath.part],
    limitsBeneath.plots,
  ],
  [
    'settings',
    'What do the settings of this kit gain?',
    answers.settings,
    [comparisons, tuningProfiles, coresOfOneProcess],
    coresPlots,
  ],
  [
    'charts',
    'What does this chart do in real pods, compared with others?',
    answers.charts,
    [charts, chartOnCluster, taskRunners],
  ],
  [
    'upgrade-gate',
    'Is the next version of n8n slower, and is a slowdown noticed?',
    upgradeGate.answer,
    [upgradeGate.part],
  ],
  [
    'cluster-loop',
    'How much work per request makes several processes worthwhile?',
    clusterLoop.answer,
    clusterLoop.parts,
    clusterLoop.plots,
  ],
  [
    'balancing',
    'What spreads requests over processes best, and how evenly?',
    balancing.answer,
    balancing.parts,
    balancing.plots,
  ],
  [
    'right-sizing',
    'How much CPU and memory, and how many instances, does it take for documents?',
    rightSizing.answer,
    rightSizing.parts,
    rightSizing.plots,
  ],
  [
    'memory-over-time',
    'How much memory do HTTP servers take under many connections?',
    memoryOverTime.answer,
    memoryOverTime.parts,
    memoryOverTime.plots,
  ],
  [
    'heap',
    'How much of a container may the heap of n8n and a message take?',
    () => both(heapHog.answer(), heapMap.answer()),
    [...heapHog.parts, heapMap.part],
    heapHog.plots,
  ],
  [
    'small-pods',
    'With how little memory and CPU does each role of n8n run?',
    smallPods.answer,
    [smallPods.part],
  ],
  [
    'inside-n8n',
    'What do the parts of n8n cost by themselves?',
    answers.insideN8n,
    [
      cpuProfiles,
      requestCosts,
      statements,
      isolates,
      isolatePool,
      databasePool,
      sessions,
      sessionOnce,
      heapFloors,
    ],
  ],
  ['sweeps', 'What was measured over a matrix?', answers.sweeps, [sweeps]],
  [
    'capacity',
    'How much does an n8n sustain, and do recommended values deliver it?',
    answers.capacity,
    [capacities, tenTimes, proofs],
  ],
  [
    'kubernetes',
    'Does n8n sustain as much in pods as in processes with the same limits?',
    kubernetes.answer,
    [kubernetes.sideBySide, kubernetes.commands],
  ],
  [
    'search',
    'How far off is the capacity that `find` names?',
    answers.search,
    [searchQuality, knownCapacities, againstStaircase, arrivals, generators],
  ],
  ['drills', 'What is lost when something breaks under load?', drills.answer, [drills.part]],
  ['bottleneck', 'Is the bottleneck named correctly?', answers.bottleneck, [plantedLimits]],
  [
    'the-kit',
    'What do the tools of this kit cost, and how exact are they?',
    answers.theKit,
    [nodeAccuracy, samplerCost, manyRequests, ctrlC],
  ],
];

export const PAGES: Page[] = ALL.map(([name, question, answer, parts, plots = () => []]) => ({
  ...{ name, question, answer, parts },
  plots: () => plots() as Chart[],
}));
