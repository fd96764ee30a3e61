// Writes every file that follows from others; with --check it only says which are out of date.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, getFileInfo, resolveConfig } from 'prettier';
import { pinned, readVersions } from '../../cli/src/lab/paths';
import { chartFiles } from '../../charts/n8n-tuned/tools/generate';
import { files as monitoringFiles, owned as monitoringFolders } from '../../monitoring';
import { k6Scripts } from './k6-scripts';
import { readme } from './readme';
import { root, table, type Generated } from './records';
import { reference } from './reference';
import { measured } from './measured';
import { onlySettings } from './only-settings';
import { patches } from './patches';
import { scale } from './scale';
import { standIns } from './stand-ins';
import { studies } from './studies';
import { ratiosByVersion, whyExpressionsGainLess } from './studies/tuning';
import { linksFrom } from './study-page';
import { terminals } from './terminal-svg';
import { times } from './times';
import { workloads } from './workloads';
import { parse } from 'yaml';
import { z } from 'zod';
import { versionsSchema, type VersionRow } from '../../cli/src/features/n8n/analysis/row';

/** The part of files/versions.yaml that follows from what was read of n8n: which releases, and which n8n reads which variable. */

const FILE = 'charts/n8n-tuned/files/versions.yaml';
const VARIABLES = `# Which n8n reads each variable that files/environment.yaml leaves to n8n's own configuration. Generated in the same way.
variables:`;
/** Helm wants the version of n8n in each of them; it is written by hand in lab/versions.env alone. */
const CHARTS = ['n8n-tuned', 'n8n-load'].map((name) => `charts/${name}/Chart.yaml`);
const readSchema = z.object({
  read: z.array(z.string()),
  variables: z.record(z.string(), z.string()),
});
const tableSchema = z.object({
  variables: z.array(z.object({ name: z.string(), n8n: z.string().optional() })),
});

function versions(): Generated {
  const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
  const { read, variables: known } = readSchema.parse(JSON.parse(textOf('lab/n8n/variables.json')));
  const { variables } = tableSchema.parse(parse(textOf('charts/n8n-tuned/files/environment.yaml')));
  const names = variables.filter(({ n8n }) => n8n === 'config').map(({ name }) => name);
  const lines = [...new Set(names)].sort().map((name) => {
    const range = known[name];
    if (range === undefined)
      throw new Error(`no n8n that was read has ${name}: lab/n8n/variables.json`);
    return `  ${name}: '${range}'\n`;
  });
  const [before = ''] = textOf(FILE).split(/^releases:/m);
  const pinnedN8n = pinned(readVersions(root), 'N8N_VERSION');
  const legacy = pinned(readVersions(root), 'N8N_LEGACY_VERSION');
  const releases = [...new Set([legacy, ...read, pinnedN8n])]
    .join(' ')
    .replaceAll(/(.{1,110})( |$)/g, '  $1\n');
  const charts = CHARTS.map((file): [string, string] => [
    file,
    textOf(file)
      .replace(/^appVersion: .*$/m, `appVersion: ${pinnedN8n}`)
      .replaceAll(/(?<=n8nio\/(n8n|runners):)\S+/g, pinnedN8n),
  ]);
  return {
    files: {
      [FILE]: `${before}releases: >-\n${releases}\n${VARIABLES}\n${lines.join('')}`,
      ...Object.fromEntries(charts),
    },
  };
}

const PAGE = 'docs/compatibility.md';
/** By `missingAmong` of lab/n8n/from-registry.mjs. */
const WHY_PINNED =
  "By default, the command and the chart use n8n 2.41.1. On 2026-11-29, it was the newest version for which the npm registry of our tests had all of n8n's own packages. For 2.41.3, the newest version there, 21 of these packages were missing.";
const RECORD = 'docs/records/versions.json';

/** Which patches are in force with which n8n, and what of it ran: n8n-tuned n8n admit VERSION --full writes the record. */
function compatibility(): Generated {
  if (!existsSync(join(root, RECORD))) return { files: {} };
  const { versions: rows } = versionsSchema.parse(
    JSON.parse(readFileSync(join(root, RECORD), 'utf8')),
  );
  const patches = [...new Set(rows.flatMap((row) => row.patches.map(({ patch }) => patch)))];
  const stateOf = (row: VersionRow, name: string): string => {
    const { state = '-' } = row.patches.find(({ patch }) => patch === name) ?? {};
    return state;
  };
  const countOf = (good: number, bad: number): string =>
    bad === 0 ? `all ${String(good)}` : `${String(good)} of ${String(good + bad)}`;
  const tested = ({ tried }: VersionRow): string =>
    tried === null ? 'not run' : countOf(tried.tests.passed, tried.tests.failed);
  const responded = ({ tried }: VersionRow): string =>
    tried === null ? 'not run' : countOf(tried.workloads.responded, tried.workloads.failed.length);
  const told = rows.flatMap((row) => [
    ...row.patches
      .filter(({ state }) => state === 'unknown' || state === 'not tried')
      .map(
        ({ patch, because }) =>
          `- n8n ${row.n8n}, \`${patch}\`: ${because.map(withoutHash).join('; ')}.`,
      ),
    ...(row.variables ?? []).map((line) => `- n8n ${row.n8n}, variable ${line}.`),
    ...(row.tried?.tests.failing ?? []).map((name) => `- n8n ${row.n8n}, test: ${name}.`),
    ...(row.tried?.workloads.failed ?? []).map((line) => `- n8n ${row.n8n}, workload ${line}.`),
  ]);
  const text = `# n8n versions

<!-- Written by lab/generate/all.ts from ${RECORD} and the records of studies/versions: change it there. -->

This page shows which [patches](docs/chart/patches.md) work with which n8n version, and how much faster n8n is with the chart's defaults.
The figures for one version do not apply to others.

${WHY_PINNED}

## Patches

The command \`n8n-tuned n8n admit\` generated this table. The first
two rows show how many patch tests passed and how many workloads responded.

${table(
  ['patch', ...rows.map(({ n8n }) => n8n)],
  [
    ['patch tests that passed', ...rows.map(tested)],
    ['workloads that responded', ...rows.map(responded)],
    ...patches.map((name) => [`\`${name}\``, ...rows.map((row) => stateOf(row, name))]),
  ],
)}

- **known**: the code that the patch changes is listed in \`known.json\`, or the patch changes no code of n8n.
- **proven**: \`known.json\` does not list the code, but in a test with two sandboxes, the patched code gave the same results and was faster.
- **unknown**: the code is different, so the patch does not change it.
- **not needed**: n8n evaluates expressions without a sandbox.
- **not loaded**: the chart does not load the patch for this version.
- **not tried**: the code could not be read or tested, for example because the npm registry lacked a package.
${told.length === 0 ? '' : `\n## What differs\n\n${told.join('\n')}\n`}
## Executions per second

Each cell shows a ratio: executions per second with the chart's defaults, divided by those with n8n's defaults.
For each cell, the study loads both configurations alternately with the same number of clients. The range in
brackets is the 95% interval, and "-" means not measured. \`n8n-tuned study versions --list\` lists all cells, and
\`n8n-tuned study versions --part 2.41.1\` measures the cells of one version.

${ratiosByVersion()}

${whyExpressionsGainLess()}

## How to add a version

\`\`\`
n8n-tuned n8n admit 2.39.10           # reads the packages
n8n-tuned n8n admit 2.39.10 --write   # also adds the version to this page
n8n-tuned n8n admit 2.39.10 --full    # also installs, runs and tests the version
\`\`\`

With \`--full\`, the command runs the patch tests with this version. It then starts n8n once in queue mode, and sends each
workload one request. If the tests pass and each workload responds, the command adds the version to \`known.json\`. With \`--write\` or \`--full\`, it
also adds the newest version's variables to \`versions.yaml\`. For a patch
that changes what n8n stores or queues, the command never adds a changed function. It prints the difference instead. Every day, a GitHub Actions workflow runs the command for new versions.
`;
  // The record too, in the format of the repository.
  return {
    files: { [PAGE]: linksFrom(PAGE, text), [RECORD]: readFileSync(join(root, RECORD), 'utf8') },
  };
}

/** Nobody reads a hash on a page. */
const withoutHash = (text: string): string => text.replace(/ \([0-9a-f]{64}\)$/, '');

const GENERATORS: (() => Generated)[] = [
  versions,
  compatibility,
  workloads,
  k6Scripts,
  patches,
  reference,
  times,
  studies,
  measured,
  onlySettings,
  scale,
  standIns,
  readme,
  terminals,
];

const everything = (): Generated[] => [
  ...GENERATORS.map((generator) => generator()),
  { files: chartFiles(root) },
  ...inFolders(monitoringFiles(pathToFileURL(root)), monitoringFolders),
];

/** What lies in each of these folders is generated; the other files lie among those written by hand. */
function inFolders(files: Generated['files'], folders: readonly string[]): Generated[] {
  const among = (isOne: (file: string) => boolean): Generated['files'] =>
    Object.fromEntries(Object.entries(files).filter(([file]) => isOne(file)));
  const isIn = (file: string, folder: string): boolean => file.startsWith(`${folder}/`);
  return [
    { files: among((file) => !folders.some((folder) => isIn(file, folder))) },
    ...folders.map((folder) => ({
      files: among((file) => isIn(file, folder)),
      owned: { folder, pattern: /\.\w+$/ },
    })),
  ];
}

const isCheck = process.argv.includes('--check');
const path = (file: string): string => join(root, file);

async function formatted(file: string, text: string): Promise<string> {
  const ignorePath = path('.prettierignore');
  const { ignored, inferredParser } = await getFileInfo(path(file), { ignorePath });
  if (ignored || inferredParser === null) return text;
  return format(text, { ...(await resolveConfig(path(file))), filepath: path(file) });
}

const filesOf = (owned: Generated['owned']): string[] =>
  owned === undefined
    ? []
    : readdirSync(path(owned.folder), { recursive: true, encoding: 'utf8' })
        .map((file) => `${owned.folder}/${file}`)
        .filter((file) => owned.pattern.test(file));

const stale: string[] = [];
for (const { files, owned } of everything()) {
  for (const [file, text] of Object.entries(files)) {
    const content = await formatted(file, text);
    if (existsSync(path(file)) && readFileSync(path(file), 'utf8') === content) continue;
    stale.push(file);
    if (isCheck) continue;
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), content);
  }
  for (const file of filesOf(owned).filter((one) => !(one in files))) {
    stale.push(file);
    if (!isCheck) rmSync(path(file));
  }
}
if (isCheck && stale.length > 0) {
  console.error(`${stale.join(', ')}: out of date: run npm run generate`);
  process.exitCode = 1;
}
