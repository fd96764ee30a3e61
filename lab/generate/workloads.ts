// docs/workloads.md, from workflows/catalogue.json.
import { join } from 'node:path';
import { readCatalogue } from '../../cli/src/catalogue/read';
import type { Variant, VariantName, Workload } from '../../cli/src/catalogue/workload';
import { readJson, root, table, type Generated } from './records';

const variantTitles: Record<VariantName, string> = {
  native: 'only nodes that n8n ships',
  'load-target': 'with Load Target',
  legacy: 'for n8n below 1.0',
};

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
  const tried = readJson<Tried>('docs/records/n8n-1.json');
  const ran = Object.values(tried.workloads).filter(({ requests = 0 }) => requests > 0);
  const good = ran.filter(({ requests, expected }) => expected === requests);
  return `n8n ${tried.n8n} was tried once, by hand: of ${ran.length} workloads, ${good.length} gave the expected response to every request ([record](records/n8n-1.json)).`;
}

function introduction(): string {
  return `# Workloads

<!-- Written by lab/generate/workloads.ts from workflows/catalogue.json: change it there. -->

A workload is a workflow, the request that triggers it, and the expected response. Each is one file
in \`workflows/\`: import it in n8n's editor (Import from File), or all at once with
\`n8n import:workflow --separate\`; then publish it. The editor gives an imported workflow a new id and no
credentials: the notes of \`sub-workflow\` and \`http-calls\` say what to choose again.

Three variants:

- **native**: only nodes that n8n ships, so it imports anywhere. In n8n 2.x a Code node runs in the
  task runner: what is measured is n8n and its runner.
- **load-target**: the load is made by the node Load Target of this repository, inside the n8n process.
  The response names the process. A size that comes with the request is read by an expression, for
  which n8n 2.x builds an expression engine per execution.
- **legacy**: for n8n below 1.0, with numeric ids.

The node of the \`load-target\` variant is \`n8n-nodes-load-target.loadTarget\`: n8n finds it under this
name where the package is installed as a community node, or lies in
\`.n8n/nodes/node_modules/n8n-nodes-load-target\`. Through \`N8N_CUSTOM_EXTENSIONS\` n8n would call it
\`CUSTOM.loadTarget\`, and these workflows would not find it.

The table of each workflow gives the oldest n8n that has every node of it in the version used, computed from
\`lab/generate/node-releases.json\`. The tests run all of them on n8n 2.41.1 and 0.221.2 only.
${triedOnce()}

Every request of a load test carries the header \`x-load-id\`; where the table of a workload names a place
for it, the response must contain it there.

All of them have the tag \`load test\`, and those that can hurt n8n the tag \`can hurt n8n\`: filter n8n's
list of workflows by it, to publish or to remove them. The command-line import of n8n 0.221.2 drops tags.

## Demand a key

A webhook responds to everybody who can reach it, and several make n8n do as much work as a request asks
for; their notes and their sections below say so. To demand a key:

1. In n8n, create a credential of the type Header Auth, with a name such as \`x-load-key\` and a long random
   value.
2. In the node Webhook, set Authentication to Header Auth, choose the credential, and publish the workflow.
3. Send the key: \`curl -H 'x-load-key: ...'\`, \`n8n-tuned run --url https://n8n.example.com --workload cpu
   --header 'x-load-key: ...'\`, or \`HEADERS='x-load-key: ...'\` for the k6 scripts alone.

n8n checks the key before it starts an execution, and responds with 403 without it. By default no workflow demands a key: a credential is different in each n8n, and without it the webhook would respond to nobody. n8n
decrypts the credential at each request, so compare runs only if both have a key or neither has one.

Workflows that \`n8n-tuned\` imports into an n8n at \`--url\` get a name, webhook paths and a key of their own. The command
sends the key with each request, and removes it with the workflows. Workflows that the chart or the targets \`process\` and
\`kubernetes\` import have no key.

## Python

No workload has a Code node in Python. n8n 2.x runs Python in a task runner that is in n8n's image of runners and not in
the packages on npm, so a Python workload could not be run here. With external
runners, measure a workflow of your own: \`n8n-tuned run --workflow python.json --request 'GET /webhook/...'\`.`;
}

const list = (all: readonly Workload[]): string => `## All of them

${table(
  ['workload', 'puts under stress', 'variants'],
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
    ...variantsOf(workload).map(([name, own]) => variant(workload, name, own)),
    ...parameters(workload),
  ].join('\n\n');
}

function warning({ mayCrashN8n, needs, answers, blend: parts, warning: risk }: Workload): string {
  const sentences: string[] = [];
  if (mayCrashN8n) {
    sentences.push(
      '**This workload is made to crash n8n.** It starts by itself once it is active; importing it is harmless.',
    );
  } else if (!parts) {
    sentences.push(
      answers === 'at-once'
        ? 'The response comes before the work is done: finished executions are counted in n8n.'
        : 'The response comes when the execution has finished.',
    );
  }
  if (needs.includes('upstream')) {
    const credential =
      ' and the credential "Load test upstream" of the type Bearer Auth with its token';
    sentences.push(
      `It needs a stand-in of that service (\`n8n-tuned stand-in\`, which listens on 127.0.0.1:5690)${needs.includes('credential') ? credential : ''}.`,
    );
  }
  if (needs.includes('files')) {
    sentences.push(
      'It writes to the folder `/home/node/.n8n-files`, which must be there and be allowed by `N8N_RESTRICT_FILE_ACCESS_TO`.',
    );
  }
  if (risk) sentences.push(`**Warning:** ${risk} You can [demand a key](#demand-a-key).`);
  return sentences.join(' ');
}

function blend(parts: NonNullable<Workload['blend']>): string {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return table(
    ['part', 'share of the requests'],
    parts.map(({ workload, weight }) => [
      `[\`${workload}\`](#${workload})`,
      `${((weight / total) * 100).toFixed(0)}%`,
    ]),
  );
}

function variant(workload: Workload, name: VariantName, own: Variant): string {
  const request = { ...workload.request, ...own.request };
  const reply = { ...workload.reply, ...own.reply };
  const rows = [
    ['file', [own.file, ...own.alongside].map((file) => linked(workload, file)).join(', ')],
    ['n8n', `\`${own.n8n}\``],
  ];
  if (request.path !== undefined) {
    rows.push(
      ['request', requestText(request, workload)],
      ['expected response', (reply.expect ?? []).map((text) => `\`${text}\``).join(', ')],
    );
    if (reply.requestIdAt) rows.push(['request id in the response', `\`${reply.requestIdAt}\``]);
    if (reply.ranAt) rows.push(['process in the response', `\`${reply.ranAt}\``]);
    const floor = workload.latencyFloorMs;
    if (typeof floor === 'object')
      rows.push(['no response before', `${floor.times} x \`${floor.parameter}\` ms`]);
    else if (floor > 0) rows.push(['no response before', `${floor} ms`]);
  }
  return `**${name}** (${variantTitles[name]})\n\n${table(['', ''], rows)}`;
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
    : [table(['parameter', 'what it is', 'default', 'from', 'to'], rows)];
}
