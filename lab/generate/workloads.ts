// docs/workloads.md, from workflows/catalogue.json.
import { join } from 'node:path';
import { pinned, readVersions } from '../../cli/src/lab/paths';
import { readCatalogue } from '../../cli/src/catalogue/read';
import type { Variant, VariantName, Workload } from '../../cli/src/catalogue/workload';
import { readJson, root, SINGLE_RUNS, table, type Generated } from './records';

export function workloads(): Generated {
  const all = readCatalogue(join(root, 'workflows/catalogue.json')).workloads;
  const page = [introduction(), list(all), ...all.map(section)].join('\n\n');
  return { files: { 'docs/workloads.md': page } };
}

interface Tried {
  n8n: string;
  workloads: Record<string, { requests?: number; expected?: number }>;
}

function triedOnce(): string {
  const tried = readJson<Record<'n8n-1', Tried>>(SINGLE_RUNS)['n8n-1'];
  const ran = Object.values(tried.workloads).filter(({ requests = 0 }) => requests > 0);
  const good = ran.filter(({ requests, expected }) => expected === requests);
  return `n8n ${tried.n8n} was tested once, manually: ${good.length} of ${ran.length} workloads returned the expected response to every request ([record](${SINGLE_RUNS.replace('docs/', '')})).`;
}

function introduction(): string {
  const versions = readVersions(root);
  const [newest, legacy] = ['N8N_VERSION', 'N8N_LEGACY_VERSION'].map((n) => pinned(versions, n));
  return `# Workloads

<!-- Written by lab/generate/workloads.ts from workflows/catalogue.json: change it there. -->

A workload consists of a workflow, the request that triggers it, and the expected response. The workflow files are
in \`workflows/\`. Import a file in n8n's editor (Import from File), or import all files with
\`n8n import:workflow --separate\`. Then publish the workflows that you need. The editor gives an imported workflow a new id and no
credentials. The notes in \`sub-workflow\` and \`http-calls\` explain which settings you need to choose again.

A workload has up to three variants:

- **native** uses only nodes that ship with n8n, so you can import it into any n8n instance. In n8n 2.x, Code nodes run in the
  task runner, so this variant measures n8n together with its runner.
- **load-target** uses the Load Target node from this repository, which generates the load inside the n8n process.
  The response contains the id of that process. If the request contains a size, an expression reads the size, and n8n 2.x
  creates an expression engine for each execution.
- **legacy** is for n8n before 1.0, and uses numeric ids.

The node type in the \`load-target\` variant is \`n8n-nodes-load-target.loadTarget\`. n8n uses this name if the package
is installed as a community node, or is in \`.n8n/nodes/node_modules/n8n-nodes-load-target\`. If you load the package
through \`N8N_CUSTOM_EXTENSIONS\`, n8n calls the node \`CUSTOM.loadTarget\`, and these workflows cannot find the node.

The table for each workflow shows the oldest n8n version that includes all nodes of the workflow in the versions used. The
n8n versions come from \`lab/generate/node-releases.json\`. The tests run all workflows, but only with n8n ${newest} and ${legacy}.
${triedOnce()}

Every request in a load test has the \`x-load-id\` header. If the table for a workload shows where the response contains this id,
the command checks the id in each response.

All workflows have the \`load test\` tag, and workflows that can harm n8n also have the \`can hurt n8n\` tag. To publish
or remove these workflows, filter n8n's workflow list by tag. The command-line import in n8n 0.221.2 does not import tags.

## Require a key

Anyone who can reach a webhook can call it, and in some workloads the request determines how much work n8n does. For
these workloads, the notes in the workflow and the sections below contain a warning. To require a key:

1. In n8n, create a Header Auth credential with a name such as \`x-load-key\` and a long random value.
2. In the Webhook node, set Authentication to Header Auth, choose the credential, and publish the workflow.
3. Send the key: \`curl -H 'x-load-key: ...'\`, \`n8n-tuned run --url https://n8n.example.com --workload cpu
   --header 'x-load-key: ...'\`, or, for the k6 scripts, \`HEADERS='x-load-key: ...'\`.

n8n checks the key before it starts an execution, and responds with 403 if the key is missing. By default, no workflow
requires a key, because a webhook rejects all requests if its credential does not exist in n8n. n8n decrypts the
credential for each request, so only compare runs with a key to other runs with a key.

\`n8n-tuned\` gives the workflows that it imports into an n8n instance at \`--url\` their own names, webhook paths and a key. The
command sends the key with each request, and removes the key together with the workflows. Workflows imported by the chart,
or by a target other than \`url\`, do not require a key.

No workload uses a Code node with Python, because n8n's npm packages contain no task runner for Python. If you use external
runners, measure your own workflow: \`n8n-tuned run --workflow python.json --request 'GET /webhook/...'\`.`;
}

const list = (all: readonly Workload[]): string => `## All workloads

${table(
  ['workload', 'stresses', 'variants'],
  all.map(({ name, stresses, variants }) => [
    `[\`${name}\`](#${name})`,
    stresses,
    Object.keys(variants).join(', ') || 'a blend',
  ]),
)}`;

const variantsOf = ({ variants }: Workload): [VariantName, Variant][] =>
  (Object.keys(variants) as VariantName[]).flatMap((name) => {
    const own = variants[name];
    return own === undefined ? [] : [[name, own]];
  });

function section(workload: Workload): string {
  return [
    `## ${workload.name}`,
    workload.title,
    ...[warning(workload)].filter((text) => text !== ''),
    ...(workload.blend ? [blend(workload.blend)] : []),
    ...variants(workload),
    ...parameters(workload),
  ].join('\n\n');
}

function warning({ mayCrashN8n, needs, answers, blend: parts, warning: risk }: Workload): string {
  const sentences: string[] = [];
  if (mayCrashN8n) {
    sentences.push(
      '**This workload is designed to crash n8n.** You can import it safely, but it starts automatically once it is active.',
    );
  } else if (!parts) {
    sentences.push(
      answers === 'at-once'
        ? 'n8n responds before the work is done, so the command counts the finished executions in n8n.'
        : 'n8n responds when the execution has finished.',
    );
  }
  if (needs.includes('upstream')) {
    const credential =
      ' and a Bearer Auth credential named "Load test upstream" that holds the stand-in\'s token';
    sentences.push(
      `The workflow needs a stand-in for the external service (\`n8n-tuned stand-in\`, which listens on 127.0.0.1:5690)${needs.includes('credential') ? credential : ''}.`,
    );
  }
  if (needs.includes('files')) {
    sentences.push(
      'The workflow writes to the `/home/node/.n8n-files` folder. This folder must exist, and `N8N_RESTRICT_FILE_ACCESS_TO` must allow access to it.',
    );
  }
  if (risk) sentences.push(`**Warning:** ${risk} You can [require a key](#require-a-key).`);
  return sentences.join(' ');
}

function blend(parts: NonNullable<Workload['blend']>): string {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return table(
    ['workload', 'share of requests'],
    parts.map(({ workload, weight }) => [
      `[\`${workload}\`](#${workload})`,
      `${((weight / total) * 100).toFixed(0)}%`,
    ]),
  );
}

/** What a reader sets for each variant, by what it is. */
function variantRows(workload: Workload, own: Variant): Record<string, string> {
  const request = { ...workload.request, ...own.request };
  const response = { ...workload.response, ...own.response };
  const floor = workload.latencyFloorMs;
  const earliest =
    typeof floor === 'object'
      ? `${floor.times} x \`${floor.parameter}\` ms`
      : floor > 0
        ? `${floor} ms`
        : undefined;
  return {
    file: [own.file, ...own.alongside].map((file) => linked(workload, file)).join(', '),
    'n8n version': `\`${own.n8n}\``,
    ...(request.path !== undefined && {
      request: requestText(request, workload),
      'expected response': (response.expect ?? []).map((text) => `\`${text}\``).join(', '),
      ...(response.requestIdAt && { 'request id in response': `\`${response.requestIdAt}\`` }),
      ...(response.ranAt && { 'process in response': `\`${response.ranAt}\`` }),
      ...(earliest && { 'earliest response': earliest }),
    }),
  };
}

function variants(workload: Workload): string[] {
  const all = variantsOf(workload).map(
    ([name, own]) => [name, variantRows(workload, own)] as const,
  );
  const labels = [...new Set(all.flatMap(([, rows]) => Object.keys(rows)))];
  if (labels.length === 0) return [];
  return [
    table(
      ['', ...all.map(([name]) => name)],
      labels.map((label) => [label, ...all.map(([, rows]) => rows[label] ?? '-')]),
    ),
  ];
}

/** Files that differ by their copy alone are named as one, which leads to their folder. */
function linked({ copies }: Workload, file: string): string {
  if (!file.includes('{copy}')) return `[\`${file}\`](../workflows/${file})`;
  const folder = file.slice(0, file.indexOf('/'));
  return `[\`${file}\`](../workflows/${folder}), {copy} from 1 to ${copies}`;
}

function requestText(
  { method = 'GET', path = '', query = {}, body }: NonNullable<Variant['request']>,
  { copies }: Workload,
): string {
  const search = Object.entries(query).map(([key, value]) => `${key}=${value}`);
  const text = `\`${method} ${path}${search.length > 0 ? `?${search.join('&')}` : ''}\``;
  const sent =
    body !== undefined && 'randomMiB' in body
      ? ` with ${body.randomMiB} MiB of ${body.contentType}`
      : '';
  return `${text}${sent}${copies ? `, {copy} from 1 to ${copies}` : ''}`;
}

function parameters({ parameters: known }: Workload): string[] {
  const rows = Object.entries(known).map(([name, { title, default: value, min, max, unit }]) => [
    `\`${name}\``,
    `${title}${unit === undefined ? '' : ` (${unit})`}`,
    ...[value, min ?? '', max ?? ''],
  ]);
  return rows.length === 0
    ? []
    : [table(['parameter', 'meaning', 'default', 'minimum', 'maximum'], rows)];
}
