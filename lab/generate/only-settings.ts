// docs/only-settings.md: the variables of this chart for an n8n that is deployed otherwise, as blocks to paste.
import { table as environmentTable } from '../../cli/src/plan/environment';
import { link, listed, read, readJson, table, type Generated } from './records';
import { ratioText } from './studies/capacity';
import { n8nOfPeers, peer } from './studies/charts';
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
    'a workflow without expressions creates no sandbox',
    'none: expressions stay sandboxed',
  ],
  N8N_EXPRESSION_ENGINE_COMPILE_CACHE: [
    'each expression is compiled once instead of in every execution',
    'a little memory',
  ],
  N8N_EXPRESSION_ENGINE_POOL_SIZE: [
    'sandboxes are ready for a burst of executions',
    'not measurable',
  ],
  N8N_LOG_LEVEL: ['no CPU time for log lines about every execution', 'logs without `info`'],
  N8N_RUNNERS_MAX_CONCURRENCY: [
    'waiting Code nodes do not block other Code nodes; by default, only ten run at the same time',
    'more memory in the task runner when many Code nodes run at the same time',
  ],
  DB_PING_TIMEOUT_MS: [
    'a database ping that is five seconds late does not cause a 503 for every request',
    'n8n notices a lost database later',
  ],
  NODE_OPTIONS: [
    'a job that is too large fails with a V8 error before the container is killed',
    'half of the container memory is reserved for data outside the heap',
  ],
  N8N_RUNNERS_MAX_OLD_SPACE_SIZE: [
    'a full task runner fails with a V8 error before the container is killed',
    'Code nodes cannot use more memory than this limit',
  ],
  N8N_RUNNERS_MAX_PAYLOAD: [
    'a message between n8n and its runner (by default up to 1 GiB) cannot fill the container',
    'larger items fail in Code nodes',
  ],
};

const measured = (): Setting[] =>
  readJson<Deployed>(peer('last-node', 'regular', 'official-same').file).b.deployedValues.webhook
    .extraEnv;

/** Reads what the official chart was given in the comparison that the page cites. */
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

/** NODE_OPTIONS and the values of the task runner come last. */
const FOR_1_GIB = 'The last three values are for 1 GiB of memory.';

const yamlList = (all: readonly Setting[], indent: string): string =>
  all.map(({ name, value }) => `${indent}- { name: ${name}, value: '${value}' }`).join('\n');
const yamlMap = (all: readonly Setting[], indent: string): string =>
  all.map(({ name, value }) => `${indent}${name}: '${value}'`).join('\n');

export const BLOCKS: readonly Block[] = [
  {
    deployment: 'official',
    title: 'The official chart',
    language: 'yaml',
    where: `Merge these lines into the chart values. \`config.extraEnv\` applies to every n8n pod. ${FOR_1_GIB}`,
    text: (all) => `config:\n  extraEnv:\n${yamlList(all, '    ')}`,
  },
  {
    deployment: 'community',
    title: 'The community chart',
    language: 'yaml',
    where: `Merge these lines into the chart values. In queue mode, repeat them under \`worker\` and \`webhook\`. ${FOR_1_GIB}`,
    text: (all) => `main:\n  extraEnvVars:\n${yamlMap(all, '    ')}`,
  },
  {
    deployment: '8gears',
    title: 'The 8gears chart',
    language: 'yaml',
    where: `Merge these lines into the chart values. In queue mode, repeat them under \`worker\` and \`webhook\`. ${FOR_1_GIB}`,
    text: (all) =>
      `main:\n  extraEnv:\n${all.map(({ name, value }) => `    ${name}: { value: '${value}' }`).join('\n')}`,
  },
  {
    deployment: 'terraform-aws-n8n',
    title: 'terraform-aws-n8n',
    language: 'hcl',
    where:
      'Merge these lines into the module call. `NODE_OPTIONS` is for 1 GiB of memory. The module sets `N8N_LOG_LEVEL` and all variables that begin with `DB_` or `N8N_RUNNERS_` itself, and rejects them in `n8n_extra_env`. Set the log level with the `n8n_log_level = "warn"` input.',
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
    where: `In \`compose.yaml\`, merge these lines into each service that runs n8n, or write them as a list (\`- NAME=value\`) if it has one. ${FOR_1_GIB}`,
    text: (all) => `services:\n  n8n:\n    environment:\n${yamlMap(all, '      ')}`,
  },
  {
    deployment: 'process',
    title: 'A plain process',
    language: 'sh',
    where: `Run these commands before \`n8n start\`. In a systemd unit, set the same variables with \`Environment=\` lines. ${FOR_1_GIB} With the log level \`warn\`, n8n does not say when it is ready, so check \`http://127.0.0.1:5678/healthz/readiness\`.`,
    text: (all) => all.map(({ name, value }) => `export ${name}='${value}'`).join('\n'),
  },
];

/** What was rendered by lab/render-settings.ts, in charts that are not in this repository. */
interface Rendered {
  deployment: string;
  chart: string;
}

/** The variables are in studies/comparisons/regular-three-variables.yaml. */
const THREE = 'studies/comparisons/results/three-variables/compare.json';

/** What the ratio of all variables together leaves open. */
export const threeAlone = (): string => `${ratioText(readJson(THREE))} (${link(THREE)})`;
export const variablesTogether = (): number => measured().length;

const PAGE = 'docs/only-settings.md';

export const RENDERED = 'docs/records/only-settings.json';

export function onlySettings(): Generated {
  const all = settings();
  const rows = environmentTable().variables;
  const of = (workload: string, mode: string, contender: string): string =>
    ratioText(peer(workload, mode, contender).comparison);
  const compared: [workload: string, mode: string][] = [
    ['last-node', 'regular'],
    ['last-node', 'queue'],
    ['expressions', 'regular'],
    ['items', 'regular'],
  ];
  const n8n = n8nOfPeers(
    compared.flatMap(([workload, mode]) =>
      ['official-same', 'tuned'].map((contender) => peer(workload, mode, contender)),
    ),
  );
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

For short workflows, environment variables alone provide most of the gain of our chart. With the variables from our chart, the official chart handled ${of('last-node', 'regular', 'official-same')} as many requests to the shortest workflow.

${table(
  ['workload', 'variables alone', 'this chart', 'record'],
  compared.map(([workload, mode]) => cell(workload, mode)),
)}

All ratios are relative to the official chart with its default settings and the same limits per pod, with n8n ${listed(n8n)} on a machine with 2 cores. They will differ on your machine. For workflows with ten expressions, most of the gain comes from the [patches](docs/chart/patches.md), which you cannot turn on with a variable. We measured all variables together. In a separate comparison of single processes, the first three variables below gave ${threeAlone()} for the shortest workflow. The first comparison also set ${listed(others.map((name) => `\`${name}\``))}. This page omits them, because they describe the deployment or are n8n's defaults.

## Effects and costs

${table(
  ['variable', 'benefit', 'cost', 'n8n version'],
  all.map(({ name }) => {
    const row = rows.find((one) => one.name === name && one.part === undefined);
    const [gain, cost] = WORDS[name] ?? [];
    if (gain === undefined || cost === undefined) throw new Error(`no words for ${name}`);
    return [`\`${name}\``, gain, cost, versionsOf(row?.n8n ?? rangeOfRunners(name))];
  }),
)}

An n8n version that does not know a variable ignores it. For a memory limit of 2 GiB, double the values of ${listed(SIZED.map((name) => `\`${name}\``))}, or omit the three variables; see [how the chart computes them](docs/chart/tuning.md#memory).

${BLOCKS.map(
  ({ title, language, where, text: write }) =>
    `## ${title}\n\n${where}\n\n\`\`\`${language}\n${write(all)}\n\`\`\``,
).join('\n\n')}

## Check the result

\`\`\`
kubectl exec deploy/n8n-main -- printenv N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE   # Helm, Terraform
docker compose exec n8n printenv N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE            # Compose
./n8n-tuned compare http://before.example.com http://after.example.com --request 'POST /webhook/order'
\`\`\`

Replace the Deployment, the service and the URLs with your own. \`printenv\` must print \`true\`. For a plain process, look in \`/proc/PID/environ\`. \`compare\` measures the gain on your machines: use two test systems that run at the same time.

We rendered the blocks for charts with ${listed(checked)} ([record](docs/records/only-settings.json)). Automated tests check all blocks.
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
