// The tables of loadtests/README.md, from what the scripts declare.
import { GROUPS } from '../../loadtests/lib/variables.ts';
import { PROFILES } from '../../loadtests/lib/profiles.ts';
import { readVersions, pinned } from '../../cli/src/lab/paths';
import { filled, read, readJson, root, table, type Generated } from './records';

const PAGE = 'loadtests/README.md';

export function k6Scripts(): Generated {
  const parts = { profiles: profiles(), variables: variables(), versions: versions() };
  return { files: { [PAGE]: filled(read(PAGE), parts, 'k6-scripts') } };
}

/** A cell holds no bar. */
const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``);

function profiles(): string {
  const rows = Object.entries(PROFILES).map(
    ([name, { title, loop, ratePerSecond, clients, durationSeconds, warmupSeconds }]) => [
      `[${name}.ts](${name}.ts)`,
      title,
      loop === 'closed' ? `${clients} clients` : `${ratePerSecond}/s`,
      `${durationSeconds} s`,
      warmupSeconds === 0 ? 'none' : `${warmupSeconds} s`,
    ],
  );
  return table(['script', 'what it does', 'RATE or VUS', 'DURATION', 'WARMUP'], rows);
}

function variables(): string {
  return Object.entries(GROUPS)
    .map(([title, group]) => `### ${title}\n\n${variableTable(group)}`)
    .join('\n\n');
}

function variableTable(group: (typeof GROUPS)[keyof typeof GROUPS]): string {
  const rows = Object.entries(group).map(([name, { what, default: fallback, example }]) => [
    code(name),
    what,
    fallback === 'profile' ? 'by profile' : code(fallback),
    code(example),
  ]);
  const last = rows.some((row) => row[3] !== '') ? 4 : 2;
  return table(
    ['variable', 'meaning', 'default', 'example'].slice(0, last),
    rows.map((row) => row.slice(0, last)),
  );
}

function versions(): string {
  const tested = pinned(readVersions(root), 'K6_VERSION').replace(/^v/, '');
  const { devDependencies } = readJson<{ devDependencies: Record<string, string> }>('package.json');
  const types = devDependencies['@types/k6'] ?? '';
  return `The tests run the scripts and the examples with k6 ${tested}. The types are checked with \`@types/k6\` ${types}. We have not tested newer k6 versions.`;
}
