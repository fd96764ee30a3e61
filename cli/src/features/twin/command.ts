/** Makes a twin of a workflow: files that can be loaded without reaching anything outside n8n. */
import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { Command } from 'commander';
import { forceOption } from '../../options/options';
import { collect, countFrom1, parsed } from '../../options/parsers';
import { baseUrlFrom } from '../../targets/url/address';
import { N8nApi } from '../../targets/url/api';
import { EXIT, messageOf, Mistake } from '../../ui/exit';
import { interruptible } from '../../ui/interrupt';
import { printJson, printLines } from '../../ui/print';
import { startProgress, type Progress } from '../../ui/progress';
import type { CommandHelp } from '../../options/help';
import { slugOf, twinOf, type Source, type Twin } from './analysis/twin';
import { blendLines, twinLines } from './report/terminal';
import { busiest, sourcesInFiles, sourcesInN8n } from './sources';
import { writeBlend, writeTwin, type BlendPart } from './write';

interface TwinOptions {
  url?: string;
  workflow?: string;
  all?: boolean;
  top: number;
  trigger?: string;
  allow?: string[];
  fromExecution?: string[];
  keepValues?: boolean;
  into?: string;
  force?: boolean;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'copy a workflow so that it calls only a stand-in',
  examples: [
    'n8n-tuned twin order.json',
    'N8N_API_KEY=... n8n-tuned twin --url https://n8n.example.com --workflow 42',
    'N8N_API_KEY=... n8n-tuned twin --url https://n8n.example --all --into twins',
    'n8n-tuned twin order.json --from-execution execution.json',
    "n8n-tuned find --workload order.twin.json --slo 'p95<5s'",
  ],
  common: [
    ...['--url', '--workflow', '--all', '--from-execution', '--keep-values', '--trigger'],
    ...['--allow', '--into'],
  ],
  notes: [
    'The command writes three files: order.twin.json, a workload for all commands that generate load; order.twin.workflow.json, the workflow; and order.twin.rules.yaml, the responses of the stand-in, which you can edit.',
    'With --url, the command only reads data: the workflow, the workflows that it calls, its error workflow, and their last five successful executions. The API key needs the scopes workflow:read, execution:list and execution:read, and also workflow:list for --all.',
    "The file for --from-execution is the response of n8n's API to GET /api/v1/executions/ID?includeData=true. The twin keeps only the shapes and sizes of its data, unless you use --keep-values.",
  ],
};

export function register(program: Command): Command {
  return program
    .command('twin')
    .description('Make a copy of a workflow in which a stand-in replaces every external service')
    .argument('[files...]', 'the exported workflow, followed by the workflows that it calls')
    .option(
      '--url <url>',
      'address of the n8n instance that has the workflow; its API key is in N8N_API_KEY',
    )
    .option('--workflow <id>', 'with --url: id of the workflow')
    .option(
      '--all',
      'with --url: the most frequently run workflows, as one blend weighted by frequency',
    )
    .addOption(parsed('--top <n>', 'with --all: maximum number of workflows', countFrom1, '10'))
    .option('--trigger <node>', 'the trigger to load-test (default: the only suitable trigger)')
    .option(
      '--allow <node>',
      'name of a node that is allowed to call external services; repeatable',
      collect,
    )
    .option(
      '--from-execution <file>',
      'an execution with its data, which provides items, sizes and latencies; repeatable',
      collect,
    )
    .option(
      '--keep-values',
      'keep the real values from executions, which may include personal data',
    )
    .option(
      '--into <folder>',
      'folder for the files (default: the folder of the workflow, or the current folder)',
    )
    .addOption(forceOption())
    .option('--json', 'print the result as JSON')
    .action(async (files: string[], options: TwinOptions) => {
      await interruptible((signal) => twin(files, options, signal));
      process.exitCode = EXIT.fine;
    });
}

async function twin(
  files: readonly string[],
  options: TwinOptions,
  signal: AbortSignal,
): Promise<void> {
  refuseContradiction(files, options);
  const { fromExecution: executions = [], keepValues: keepsValues = false } = options;
  const [file] = files;
  if (file !== undefined) {
    const sources = sourcesInFiles({ files, executions, keepsValues });
    one(sources, { folder: dirname(file), stem: basename(file).replace(/\.json$/, '') }, options);
    return;
  }
  const { url = '', workflow } = options;
  const key = process.env['N8N_API_KEY'];
  if (key === undefined) {
    throw new Mistake(`the n8n API at ${url} requires a key: set N8N_API_KEY.`);
  }
  const api = new N8nApi(baseUrlFrom(url), key, signal);
  const progress = startProgress();
  try {
    if (workflow === undefined) await busiestTwins(api, options, progress.tell);
    else {
      const sources = await sourcesInN8n({ api, workflow, keepsValues, tell: progress.tell });
      one(sources, { folder: '.', stem: nameIn(sources) }, options);
    }
  } finally {
    progress.end();
  }
}

function refuseContradiction(files: readonly string[], options: TwinOptions): void {
  const { url, workflow, all = false, fromExecution = [], keepValues = false } = options;
  if (files.length > 0 && (url !== undefined || workflow !== undefined || all)) {
    throw new Mistake('a twin is created either from files or from --url: use only one of them.');
  }
  if (files.length > 0) {
    if (keepValues && fromExecution.length === 0) {
      throw new Mistake('--keep-values works only with --from-execution or --url.');
    }
    return;
  }
  if (url === undefined) {
    throw new Mistake('specify the exported workflow, or --url with --workflow or --all.');
  }
  if ((workflow === undefined) === !all) {
    throw new Mistake('--url requires --workflow with the id of one workflow, or --all.');
  }
  if (fromExecution.length > 0) {
    throw new Mistake('--url already reads executions: remove --from-execution.');
  }
  if (all && options.trigger !== undefined) {
    throw new Mistake('--trigger works only with a single workflow: remove --all.');
  }
}

const nameIn = ([loaded]: readonly Source[]): string => slugOf(loaded?.workflow.name ?? 'workflow');

interface FilePlace {
  folder: string;
  stem: string;
}

function one(sources: readonly Source[], place: FilePlace, options: TwinOptions): void {
  const made = madeOf(sources, nameIn(sources), options);
  const { into: folder = place.folder, force = false, keepValues: isPrivate = false } = options;
  const written = writeTwin({ folder, stem: place.stem, force, isPrivate }, made);
  if (options.json === true) {
    const { rows, kept, request, notes } = made;
    printJson({ files: written, rows, kept, request, notes });
  } else printLines([...twinLines(made), '', ...written]);
}

function madeOf(sources: readonly Source[], name: string, options: TwinOptions): Twin {
  const made = twinOf({
    ...{ sources, name, trigger: options.trigger, allow: new Set(options.allow ?? []) },
    newId: idsFrom(JSON.stringify([name, sources.map(({ workflow }) => workflow)])),
  });
  if (made.leaving.length > 0) throw new Mistake(refusal(made));
  return made;
}

function refusal({ leaving }: Twin): string {
  const listed = leaving.map(({ node, why }) => `'${node}' (${why})`).join(', ');
  const all = new Set(leaving.flatMap(({ advice }) => advice ?? []));
  all.add('use --allow for each node that may keep calling external services');
  return `these nodes could call external services: ${listed}; ${[...all].join(', or ')}.`;
}

/** What cannot be loaded is named and left out; the others keep their weights. */
async function busiestTwins(api: N8nApi, options: TwinOptions, tell: Progress): Promise<void> {
  const { into: folder = '.', force = false, keepValues: keepsValues = false } = options;
  tell('counting the executions of each workflow');
  const ranked = await busiest(api, options.top);
  const parts: (BlendPart & { name: string })[] = [];
  const left: { name: string; why: string }[] = [];
  const names = new Set<string>(['all']);
  for (const { workflow, runs } of ranked) {
    let name = workflow;
    try {
      const sources = await sourcesInN8n({ api, workflow, keepsValues, tell });
      name = sources[0]?.workflow.name ?? workflow;
      let stem = nameIn(sources);
      while (names.has(stem)) stem += '-2';
      names.add(stem);
      const place = { folder, stem, force, isPrivate: keepsValues };
      const [file = ''] = writeTwin(place, madeOf(sources, stem, options));
      parts.push({ name, file: basename(file), weight: runs });
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      left.push({ name, why: messageOf(error) });
    }
  }
  if (parts.length === 0) {
    throw new Mistake(
      left.length === 0
        ? 'n8n has no stored executions, so it is unknown which workflows run most often: select a workflow with --workflow.'
        : `none of the recently executed workflows can be load-tested: ${left.map(({ name, why }) => `'${name}': ${why}`).join(' ')}`,
    );
  }
  const file = writeBlend({ folder, stem: 'all', force }, parts);
  if (options.json === true) printJson({ file, parts, left });
  else printLines([...blendLines(parts, left), '', file]);
}

/** The same workflow has the same ids in its twin each time, so that what is imported already is known. */
function idsFrom(text: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    const hex = createHash('sha256')
      .update(`${String(count)} ${text}`)
      .digest('hex');
    const parts = [8, 4, 4, 4, 12].map((length, index, all) => {
      const from = all.slice(0, index).reduce((sum, each) => sum + each, 0);
      return hex.slice(from, from + length);
    });
    return parts.join('-');
  };
}
