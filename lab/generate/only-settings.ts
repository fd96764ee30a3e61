// docs/only-settings.md: the variables of this chart for an n8n that is deployed otherwise, as blocks to paste.
import { table as environmentTable } from '../../cli/src/plan/environment';
import { link, read, readJson, table, type Generated } from './records';
import { ratioText } from './studies/capacity';
import { peer } from './studies/charts';
import { linksFrom } from './study-page';

export interface Setting {
  name: string;
  value: string;
}

interface Deployed {
  b: { deployedValues: { webhook: { extraEnv: Setting[] } } };
}

/** What n8n 2 does by itself, so that there is no need to paste it. */
const OWN_DEFAULTS = ['N8N_DEFAULT_BINARY_DATA_MODE'];

/** Heaps and messages, which follow from the memory limit. */
const SIZED = ['NODE_OPTIONS', 'N8N_RUNNERS_MAX_OLD_SPACE_SIZE', 'N8N_RUNNERS_MAX_PAYLOAD'];

/** What each is for and what it costs, in the words of a page; versions are those of environment.yaml. */
const WORDS: Record<string, [gain: string, cost: string]> = {
  N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: [
    'a workflow without an expression builds no sandbox for one',
    'nothing: expressions stay sandboxed',
  ],
  N8N_EXPRESSION_ENGINE_COMPILE_CACHE: [
    'each expression is compiled once, and not in every execution',
    'a little memory',
  ],
  N8N_EXPRESSION_ENGINE_POOL_SIZE: [
    'a burst of executions finds a sandbox ready',
    'nothing that could be measured',
  ],
  N8N_LOG_LEVEL: ['no CPU for lines about every execution', 'logs without `info`'],
  N8N_RUNNERS_MAX_CONCURRENCY: [
    'Code nodes that wait do not hold back others, ten of which run at once by default',
    'more memory in the task runner when many Code nodes run at once',
  ],
  DB_PING_TIMEOUT_MS: [
    'a ping of the database that is five seconds late does not answer every request with 503',
    'a database that is gone is noticed later',
  ],
  NODE_OPTIONS: [
    'n8n fails a job that is too large with an error of V8, before the container is killed',
    'half of the container is for what is outside the heap',
  ],
  N8N_RUNNERS_MAX_OLD_SPACE_SIZE: [
    'the same for the task runner',
    'Code nodes have this much memory',
  ],
  N8N_RUNNERS_MAX_PAYLOAD: [
    'a message between n8n and its runner cannot fill the container (1 GiB by default)',
    'larger items fail in a Code node',
  ],
};

const measured = (): Setting[] =>
  readJson<Deployed>(peer('last-node', 'regular', 'official-same').file).b.deployedValues.webhook
    .extraEnv;

/** As they were given to the official chart in the comparison that the page cites. */
export function settings(): Setting[] {
  const extraEnv = measured();
  const order = Object.keys(WORDS);
  return extraEnv
    .filter(({ name }) => isSetting(name))
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

/** The others say where n8n is and what it calls, which every deployment decides for itself. */
const isSetting = (name: string): boolean =>
  !OWN_DEFAULTS.includes(name) &&
  environmentTable().variables.some((row) => row.name === name && row.part === undefined);

/** What the Terraform module sets itself, and refuses in `n8n_extra_env` (its locals.tf). */
const OF_THE_MODULE = /^(DB_|QUEUE_|N8N_RUNNERS_|N8N_LOG_LEVEL$)/;

export interface Block {
  deployment: string;
  title: string;
  language: string;
  where: string;
  text(all: readonly Setting[]): string;
}

const yamlList = (all: readonly Setting[], indent: string): string =>
  all.map(({ name, value }) => `${indent}- { name: ${name}, value: '${value}' }`).join('\n');
const yamlMap = (all: readonly Setting[], indent: string): string =>
  all.map(({ name, value }) => `${indent}${name}: '${value}'`).join('\n');

export const BLOCKS: readonly Block[] = [
  {
    deployment: 'official',
    title: 'The official chart',
    language: 'yaml',
    where: 'Add this to its values. `config.extraEnv` reaches every pod of n8n.',
    text: (all) => `config:\n  extraEnv:\n${yamlList(all, '    ')}`,
  },
  {
    deployment: 'community',
    title: 'The community chart',
    language: 'yaml',
    where: 'Add this to its values, and repeat it below `worker` and `webhook` in queue mode.',
    text: (all) => `main:\n  extraEnvVars:\n${yamlMap(all, '    ')}`,
  },
  {
    deployment: '8gears',
    title: "8gears' chart",
    language: 'yaml',
    where: 'Add this to its values, and repeat it below `worker` and `webhook` in queue mode.',
    text: (all) =>
      `main:\n  extraEnv:\n${all.map(({ name, value }) => `    ${name}: { value: '${value}' }`).join('\n')}`,
  },
  {
    deployment: 'terraform-aws-n8n',
    title: 'terraform-aws-n8n',
    language: 'hcl',
    where:
      'Add this to the call of the module. The module refuses `DB_`, `N8N_RUNNERS_` and `N8N_LOG_LEVEL` here, because it sets them itself. Set the log level with its input `n8n_log_level = "warn"`.',
    text: (all) =>
      `n8n_extra_env = [\n${all
        .filter(({ name }) => !OF_THE_MODULE.test(name))
        .map(({ name, value }) => `  { name = "${name}", value = "${value}" },`)
        .join('\n')}\n]`,
  },
  {
    deployment: 'compose',
    title: 'Compose',
    language: 'yaml',
    where: 'Add this in `compose.yaml` to each service that runs n8n.',
    text: (all) => `services:\n  n8n:\n    environment:\n${yamlMap(all, '      ')}`,
  },
  {
    deployment: 'process',
    title: 'A plain process',
    language: 'sh',
    where:
      'Run this before `n8n start`. A systemd unit takes the same variables as `Environment=` lines.',
    text: (all) => all.map(({ name, value }) => `export ${name}='${value}'`).join('\n'),
  },
];

/** What was rendered by lab/render-settings.ts, in charts that are not in this repository. */
interface Rendered {
  deployment: string;
  chart: string;
}

const PAGE = 'docs/only-settings.md';

export const RENDERED = 'docs/records/only-settings.json';

export function onlySettings(): Generated {
  const all = settings();
  const rows = environmentTable().variables;
  const of = (workload: string, mode: string, contender: string): string =>
    ratioText(peer(workload, mode, contender).comparison);
  const cell = (workload: string, mode: string): string[] => {
    const same = peer(workload, mode, 'official-same');
    return [
      `${workload}, ${mode} mode`,
      of(workload, mode, 'official-same'),
      of(workload, mode, 'tuned'),
      `${link(same.file)}`,
    ];
  };
  const rendered = JSON.parse(read(RENDERED)) as { charts: Rendered[] };
  const others = measured().flatMap(({ name }) => (isSetting(name) ? [] : [name]));
  const checked = rendered.charts.map(({ chart }) => chart);
  const text = `# Only the settings

<!-- Written by lab/generate/only-settings.ts from records and from charts/n8n-tuned/files/environment.yaml. -->

For short workflows you get most of the gain without anything else from this repository. With nothing but the
variables of this chart, the official chart responded to ${of('last-node', 'regular', 'official-same')} as many requests of the shortest workflow as without them.

${table(
  ['workload', 'variables alone', 'this chart', 'record'],
  [
    cell('last-node', 'regular'),
    cell('last-node', 'queue'),
    cell('expressions', 'regular'),
    cell('items', 'regular'),
  ],
)}

Both columns are compared with the official chart as it comes, with the same limits per pod, on one machine with 2 cores: on
yours the ratio differs. With ten expressions, most of the gain comes from the [patches](docs/chart/patches.md), which no variable turns on. The gain of each variable by itself was not measured. In the comparison ${others.map((name) => `\`${name}\``).join(', ')} were set too:
they describe the deployment or repeat n8n's defaults, and are left out here.

## What each does

${table(
  ['variable', 'gains', 'costs', 'n8n'],
  all.map(({ name }) => {
    const row = rows.find((one) => one.name === name && one.part === undefined);
    const [gain, cost] = WORDS[name] ?? [];
    if (gain === undefined || cost === undefined) throw new Error(`no words for ${name}`);
    return [`\`${name}\``, gain, cost, versionsOf(row?.n8n ?? rangeOfRunners(name))];
  }),
)}

An older n8n ignores a variable that it does not know. The values of ${SIZED.map((name) => `\`${name}\``).join(', ')} below fit a memory limit of
1 GiB: double them for 2 GiB, or leave the three out ([how they follow from the limit](docs/chart/tuning.md#memory)). To go back, remove the lines.

${BLOCKS.map(
  ({ title, language, where, text: write }) =>
    `## ${title}\n\n${where}\n\n\`\`\`${language}\n${write(all)}\n\`\`\``,
).join('\n\n')}

## Whether it worked

\`\`\`
kubectl exec deploy/n8n-main -- printenv N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE
./n8n-tuned compare http://before.example.com http://after.example.com --request 'POST /webhook/order'
\`\`\`

The first prints \`true\` (take the name of your Deployment). The second says what it gains on your machines: run both n8n at the
same time, on test systems.

Every block is tested. [Those for charts](docs/records/only-settings.json) were rendered with ${checked.join(', ')}, the one for a process is run
by a shell, and that for Compose is parsed. The block for Terraform is checked against the names that the module refuses, and
was not applied.
`;
  return { files: { [PAGE]: linksFrom(PAGE, text) } };
}

/** A variable of task runners needs an n8n that has them. */
const rangeOfRunners = (name: string): string | undefined =>
  name.startsWith('N8N_RUNNERS_')
    ? environmentTable().variables.find((row) => row.name === 'N8N_RUNNERS_MAX_PAYLOAD')?.n8n
    : undefined;

/** `>=1.123.66-0 <2.0.0-0 || >=2.16.0-0` as `from 1.123.66 to below 2.0.0, from 2.16.0`. */
function versionsOf(range: string | undefined): string {
  const parts = (range ?? '').split('||').flatMap((part) => {
    const [, from] = />=(\d+\.\d+\.\d+)/.exec(part) ?? [];
    const [, below] = /<(\d+\.\d+\.\d+)/.exec(part) ?? [];
    if (from === undefined) return [];
    return [below === undefined ? `from ${from}` : `from ${from} to below ${below}`];
  });
  return parts.join(', ') || 'all';
}
