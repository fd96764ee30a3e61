// The answer of a page in one sentence, for the index; every figure from a record.
import { number, readJson, recordsNamed, spread, unsure } from '../records.ts';
import { peerRecord, ratioOf } from './peers.mjs';
import { publishedBy } from './study.mjs';

const ratioIn = ({ ratio }) =>
  `${number(ratio.value)}x (${number(ratio.low)} to ${number(ratio.high)})`;
const percent = (share) => `${number(100 * share)}%`;

/** Of two runs of the closed loop; the memory is that of all processes of n8n. */
export function ownMain() {
  const folder = 'studies/closed-loop/results';
  const [main, own] = ['main', 'own'].map((name) => readJson(`${folder}/legacy-${name}/run.json`));
  const rate = ({ summary }) => summary.achieved.ratePerSecond;
  const memory = ({ summary }) =>
    summary.roles
      .filter(({ role }) => role === 'main')
      .reduce((sum, { rssPeakMiB }) => sum + rssPeakMiB, 0);
  const ours = rate(main) / rate(own);
  const published = publishedBy('own-main');
  const theirs = published['main-rate'] / published['own-rate'];
  return {
    sentence: `One process for all does more, with ${number(memory(own) / memory(main))} times less memory; the published rate of main needs responses before the function of 5 s has ended.`,
    published: `${number(theirs)}x requests per second`,
    ours: `${number(ours)}x`,
    ratio: number(ours / theirs),
  };
}

export function settings() {
  const of = (name) => readJson(`studies/comparisons/results/${name}/compare.json`);
  const records = recordsNamed('compare.json', 'studies/comparisons/').map(readJson);
  const better = records.filter(({ answer }) => answer === 'better').length;
  return {
    sentence: `${better} of ${records.length} comparisons show an improvement.`,
    ours: `last-node ${ratioIn(of('last-node-regular'))}, wait-5s ${ratioIn(of('wait-regular'))}`,
  };
}

export function charts() {
  const of = (workload, mode) => {
    const compared = peerRecord(workload, mode, 'tuned');
    return compared === null ? 'not measured' : ratioOf(compared);
  };
  const inBoth = (workload) =>
    `${workload} ${of(workload, 'regular')} in regular mode, ${of(workload, 'queue')} in queue mode`;
  return {
    sentence:
      'It responds to more requests per second than the official chart with the same limits per pod.',
    ours: `${inBoth('last-node')}; ${inBoth('expressions')}`,
  };
}

export function insideN8n() {
  const { variants } = readJson('studies/isolates/results/record.json');
  const [none] = variants;
  const ratios = variants.at(-1).rounds.map(({ cpuMs }, i) => none.rounds[i].cpuMs / cpuMs);
  return {
    sentence: 'With the patches of this kit a sandbox for expressions takes less CPU.',
    ours: `${spread(ratios)}x less`,
  };
}

export function capacity() {
  const all = recordsNamed('find.json', 'studies/capacity/').map(readJson);
  return {
    sentence: all
      .map(
        ({ workload, topology, slo, verdict, capacity }) =>
          `${workload.name} in ${topology?.mode ?? 'any'} mode: ${number(capacity.ratePerSecond)}/s with ${slo.map(({ text }) => text).join(' and ')}${unsure({ ...capacity, verdict })}`,
      )
      .join('; '),
  };
}

export function search() {
  const rows = Object.values(readJson('studies/known-capacity/results/record.json')).flatMap(
    (group) => group.rows,
  );
  const most = Math.max(...rows.map(({ error }) => Math.abs(error)));
  const onServers = `By ${percent(most)} at most on ${rows.length} real servers of known capacity, one search each.`;
  return { sentence: onServers };
}

export function bottleneck() {
  const { cases } = readJson('studies/planted-limits/results/record.json');
  const named = cases.filter(({ isRight }) => isRight).length;
  return { sentence: `In ${named} of ${cases.length} cases in which a limit was planted.` };
}
