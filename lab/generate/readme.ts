// The parts of README.md that follow from records and from the lab.
import {
  errorsInRollouts,
  measuredTable,
  n8nOfRollouts,
  rolloutsOfEach,
  valuesOfRollouts,
} from './measured';
import { threeAlone, variablesTogether } from './only-settings';
import {
  filled,
  hrefOf,
  link,
  listed,
  number,
  read,
  readUnpacked,
  refuseUnlessFound,
  SHOWN_SEARCH,
  root,
  table,
  type Generated,
} from './records';
import { knownCode, knownToAll } from './patches';
import { middle, n8nOfPeers, peer } from './studies/charts';
import { caveatOfRecovery, lostInFaults, n8nOfFaults, stillRunning } from './studies/drills';
import { distinct } from './sweeps';
import { parse } from 'yaml';
import { pinned, readVersions } from '../../cli/src/lab/paths';
import { readFind } from '../../cli/src/features/find/read';
import type { FindRecord } from '../../cli/src/features/find/record';
import { findVerdict } from '../../cli/src/features/find/report/document';
import { findFigures } from '../../cli/src/features/find/report/figures';
import { renderRows, renderVerdict } from '../../cli/src/report/text/terminal';
import { repeatCommand } from '../../cli/src/report/text/units';

// What the command prints, from a search that is recorded here.

const RECORD = `${SHOWN_SEARCH}/find.json`;
const FIGURES = ['Capacity', 'Plan with', 'Speed'];
const STYLE = { width: 100, colour: false };

export const output = (): string => outputOf(readUnpacked(SHOWN_SEARCH, readFind), RECORD);

export function outputOf(record: FindRecord, path: string): string {
  refuseUnlessFound(record, path);
  const figures = findFigures(record).filter(({ name }) => FIGURES.includes(name));
  if (figures.length !== FIGURES.length)
    throw new Error(`${path} has not all of ${FIGURES.join(', ')}`);
  const { cores, cpu } = record.machine;
  const arrivals = record.arrivals === undefined ? '' : ` and ${record.arrivals} arrivals`;
  return `\`\`\`console
$ ./${repeatCommand(withoutFolder(record.command))}
${[...renderVerdict(findVerdict(record), STYLE), '', ...renderRows(figures, STYLE)].join('\n')}
\`\`\`

The search ran on ${record.startedAt.slice(0, 10)} with n8n ${record.versions['n8n'] ?? ''} in ${record.topology?.mode ?? ''} mode with SQLite${arrivals}, and took ${number(record.totalSeconds / 60)} minutes.
n8n and the load generator shared ${cores} cores (${cpu.replaceAll('(R)', '')}; [record](${hrefOf(path)})).`;
}

/** The folder of the results says nothing of what was measured. */
function withoutFolder(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--out');
  return at === -1 ? words : words.toSpliced(at, 2);
}

// What a machine must have, as the lab itself asks for it, and how long the first install took.

function needs(): string {
  const go = matched('lab/kinds/go.sh', /install Go ([\d.]+) or later/);
  const ownK6 = matched('lab/tools.sh', /^tool_k6\(\) \{[^}]*own_from=(\d+\.\d+)/m);
  const testedK6 = pinned(readVersions(root), 'K6_VERSION').replace(/^v/, '');
  const diskGiB = Number(matched('lab/steps.sh', /^MIN_FREE_MIB=(\d+)/m)) / 1024;
  const node = matched('cli/package.json', /"node": ">=([\d.]+)"/);
  const { seconds, machine } = firstInstall();
  return table(
    ['you need', 'why'],
    [
      [`Node.js ${node} or newer, npm`, 'to run the command'],
      [
        `Go ${go} or newer`,
        `to compile k6 from its locked sources. You can also use your own k6 ${ownK6} or newer; tested with ${testedK6}`,
      ],
      [
        'Linux (Debian 12, Ubuntu) and root',
        'to set CPU and memory limits with cgroups, and to install missing Debian packages. On macOS or without root, [some targets do not work](#where-it-runs)',
      ],
      [`${diskGiB} GiB of free disk`, 'for n8n and the tools that are downloaded and compiled'],
      [
        `about ${Math.round(seconds / 60)} minutes, the first time`,
        `to fill the empty cache; measured on ${machine.split(';')[0] ?? ''} ([times](docs/records/times/README.md))`,
      ],
    ],
  );
}

function matched(file: string, pattern: RegExp): string {
  const [, value] = pattern.exec(read(file)) ?? [];
  if (value === undefined) throw new Error(`${file} does not say ${String(pattern)} any more`);
  return value;
}

/** The first `make capacity` with an empty cache. */
function firstInstall(): { machine: string; seconds: number } {
  const record = read('docs/records/times/cold.tsv');
  const [, machine] = /^# machine: (.*)$/m.exec(record) ?? [];
  const [, seconds] = /^make capacity[^\t]*\t(\d+)\tok$/m.exec(record) ?? [];
  if (machine === undefined || seconds === undefined) throw new Error('no time of make capacity');
  return { machine, seconds: Number(seconds) };
}

// Which n8n can be used, from what the chart knows of versions.

interface Versions {
  supported: { from: string; testedBelow: string };
}

function n8nVersions(): string {
  const { supported } = parse(read('charts/n8n-tuned/files/versions.yaml')) as Versions;
  return `You can deploy and load-test n8n ${supported.from} and newer. [The versions page](docs/compatibility.md) lists the measured
versions. For ${supported.testedBelow} and newer, which nobody has tested, the chart's NOTES print a warning.
[The patches page](docs/chart/patches.md) lists the n8n versions that each patch supports.`;
}

// What the kit gains, in four rows; which n8n it stands beside differs by row, and is said below them.

function gains(): string {
  const [chart, variables] = ['tuned', 'official-same'].map((one) =>
    peer('last-node', 'regular', one),
  );
  if (chart === undefined || variables === undefined) throw new Error('no comparison of charts');
  const expressions = peer('expressions', 'regular', 'tuned');
  const times = ({ comparison }: typeof chart): string => `${number(comparison.ratio.value)}x`;
  const rate = (side: typeof chart.a): string => middle(side, 'ratePerSecond');
  const cpu = (side: typeof chart.a): string =>
    ` at ${middle(side, 'cpuMillisecondsPerRequest')} ms of CPU`;
  const lines = table(
    ['', 'default n8n', 'with n8n-tuned'],
    [
      [
        'requests per second of one pod (1 CPU, 1 GiB)',
        `${rate(chart.a)}${cpu(chart.a)}`,
        `**${rate(chart.b)}**${cpu(chart.b)} (${times(chart)}, ${link(chart.file)})`,
      ],
      [
        'the same with [variables alone](docs/only-settings.md)',
        `${rate(variables.a)}${cpu(variables.a)}`,
        `**${rate(variables.b)}**${cpu(variables.b)} (${times(variables)}, ${link(variables.file)})`,
      ],
      [
        `requests with an error or no response, in ${number(rolloutsOfEach())} rollouts of webhook processors`,
        errorsInRollouts("n8n's own"),
        `**${errorsInRollouts('the chart')}** (${link('studies/charts/results/rollouts.json')})`,
      ],
      [
        'accepted requests that n8n never finished under faults',
        lostInFaults('as-it-comes'),
        `**${lostInFaults('recovery')}** with recovery; without it ${lostInFaults('defaults')} ([study](studies/drills/README.md))`,
      ],
    ],
  );
  return `${lines}

In the first two rows, "default n8n" is the official chart, the workload is the shortest workflow, and CPU time is per request. With ten expressions, the ratio per pod is ${number(expressions.comparison.ratio.value)}x. The second row sets ${number(variablesTogether())} variables; in one process, three of them alone gave ${threeAlone()}. In the third row, "default n8n" is this chart with n8n's own values of ${valuesOfRollouts()}. In the last row, it is n8n without our variables and patches ([what is not counted](#how-sure-are-the-answers)). ${versionsOfGains([chart, variables, expressions])} Your figures will differ.`;
}

/** What the last row of the gains leaves open. */
const notCounted = (): string =>
  `The last row of the first table counts lost requests.${stillRunning()}${caveatOfRecovery()}`;

/** For which n8n the figures hold. */
function versionsOfGains(compared: readonly ReturnType<typeof peer>[]): string {
  const rollouts = n8nOfRollouts();
  const all = distinct([
    ...[...n8nOfPeers(compared), ...n8nOfFaults()],
    ...(rollouts === null ? [] : [rollouts]),
  ]);
  const except =
    rollouts === null ? ', except those of the rollouts, whose record names no version' : '';
  return `The figures are from n8n ${listed(all)}${except}.`;
}

/** Which n8n has all patches, in a sentence that is written by hand otherwise. */
export function withPatchedVersions(page: string): string {
  const versions = /\bn8n [\d.]+(?:(?:,| to) [\d.]+)*(?= runs with all patches)/;
  if (!versions.test(page))
    throw new Error('README.md does not say any more which n8n runs with all patches');
  return page.replace(versions, `n8n ${knownToAll(knownCode())}`);
}

export const readme = (): Generated => ({
  files: {
    'README.md': filled(withPatchedVersions(read('README.md')), {
      gains: gains(),
      output: output(),
      findings: `${measuredTable()}

${notCounted()}`,
      needs: needs(),
      n8n: n8nVersions(),
    }),
  },
});
