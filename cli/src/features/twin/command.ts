/** Makes a twin of a workflow: files that can be loaded without reaching anything outside n8n. */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { parseExport } from '../../catalogue/exported-workflow';
import { nameOf } from '../../catalogue/triggers';
import type { ExportedWorkflow } from '../../catalogue/exported-workflow';
import { readPlainFile } from '../../linux/plain-file';
import { forceOption } from '../../options/options';
import { collect } from '../../options/parsers';
import { writeUserFile, type UserFile } from '../../record/user-file';
import { parseYamlFile } from '../../ui/yaml-file';
import { EXIT, messageOf, Mistake } from '../../ui/exit';
import { printJson, printLines } from '../../ui/print';
import type { CommandHelp } from '../../options/help';
import { executionSchema, recordedNodes, type RecordedNode } from './analysis/recorded';
import { twinOf, type Twin } from './analysis/twin';
import { twinLines } from './report/terminal';

interface TwinOptions {
  trigger?: string;
  allow?: string[];
  fromExecution?: string;
  keepValues?: boolean;
  force?: boolean;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'make a copy of a workflow that reaches nothing outside n8n',
  examples: [
    'n8n-tuned twin order.json',
    'n8n-tuned twin order.json pay.json --from-execution execution.json',
    "n8n-tuned find --workload order.twin.json --slo 'p95<1s'",
  ],
  notes: [
    'It writes three files: order.twin.json, the workload for every command that makes load; order.twin.workflow.json, the workflow; and order.twin.rules.yaml, the answers of the stand-in, which you may edit.',
    "--from-execution is an execution as n8n's API gives it: GET /api/v1/executions/ID?includeData=true. Of what it holds, only the shapes and sizes are kept, unless --keep-values is given.",
  ],
};

export function register(program: Command): Command {
  return program
    .command('twin')
    .description('Make a copy of a workflow in which a stand-in takes the place of every service')
    .argument('<files...>', 'the exported workflow, then those that it calls')
    .option('--trigger <node>', 'the trigger that is loaded (default: the only one that fits)')
    .option('--allow <node>', 'a node that may leave n8n, by its name; may be repeated', collect)
    .option('--from-execution <file>', 'an execution with its data, for items, sizes and latencies')
    .option('--keep-values', 'keep the values of that execution, which may be personal')
    .addOption(forceOption())
    .option('--json', 'print what was made as JSON')
    .action((files: string[], options: TwinOptions) => {
      twin(files, options);
      process.exitCode = EXIT.fine;
    });
}

function twin(files: readonly string[], options: TwinOptions): void {
  const workflows = files.flatMap((file) => parseExport(read(file, 'the workflow'), file));
  const [first] = workflows;
  if (first === undefined) throw new Mistake(`${files.join(' ')} holds no workflow.`);
  const made = twinOf({
    ...{ workflows, trigger: options.trigger, allow: new Set(options.allow ?? []) },
    recorded: recordedIn(first, options),
    newId: idsFrom(JSON.stringify(workflows)),
  });
  if (made.leaving.length > 0) throw new Mistake(refusal(made));
  const written = write(files[0] ?? '', made, options.force === true);
  if (options.json === true) {
    const { rows, kept, request } = made;
    printJson({ files: written, rows, kept, request });
  } else printLines([...twinLines(made), '', ...written]);
}

function refusal({ leaving }: Twin): string {
  const listed = leaving.map(({ node, why }) => `'${node}' (${why})`).join(', ');
  return `these nodes would still leave n8n: ${listed}; give the execution that shows what they return with --from-execution, add the workflows that are called, or name each that may leave with --allow.`;
}

function recordedIn(
  workflow: ExportedWorkflow,
  { fromExecution: file, keepValues = false }: TwinOptions,
): Map<string, RecordedNode> {
  if (file === undefined) {
    if (keepValues) throw new Mistake('--keep-values goes with --from-execution.');
    return new Map();
  }
  const kind = { name: 'execution', schema: executionSchema };
  const execution = parseYamlFile(read(file, 'the execution'), file, kind);
  const recorded = recordedNodes(execution, (node) => sourcesOf(workflow, node), keepValues);
  if (!workflow.nodes.some((node) => recorded.has(nameOf(node)))) {
    throw new Mistake(
      `${file} is an execution of another workflow: none of its nodes is in this one.`,
    );
  }
  return recorded;
}

/** Nodes whose items a node is given. */
const sourcesOf = ({ connections }: ExportedWorkflow, name: string): string[] =>
  Object.entries(connections)
    .filter(([, to]) =>
      JSON.stringify((to as { main?: unknown }).main ?? []).includes(JSON.stringify(name)),
    )
    .map(([from]) => from);

function read(file: string, what: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new Mistake(`${what} ${file} cannot be read: ${messageOf(error)}.`);
  }
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

const RULES_BEGIN =
  '# What the stand-in of this twin answers. Written by n8n-tuned twin; docs/stand-in.md has the keys.\n';
const JSON_BEGIN = '{\n  "name": "';

const WORKFLOW_BEGIN = '{\n  "id": "';

/** A file each for the workflow and those that it calls, since each call is an execution of its own. */
function write(source: string, made: Twin, force: boolean): string[] {
  const stem = join(dirname(source), basename(source).replace(/\.json$/, ''));
  const put = (path: string, text: string, begins: string): string => {
    const file: UserFile = { path, option: 'the twin', begins, force };
    writeUserFile(file, text);
    return path;
  };
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  const rules = stringify({ seed: 1, rules: made.rules });
  const rulesFile = put(`${stem}.twin.rules.yaml`, RULES_BEGIN + rules, RULES_BEGIN);
  const workflows = made.workflows.map((workflow, index) => {
    const name = index === 0 ? 'workflow' : `called-${String(index)}`;
    return put(`${stem}.twin.${name}.json`, json(workflow), WORKFLOW_BEGIN);
  });
  const workload = workloadOf(
    made,
    workflows.map((file) => basename(file)),
    basename(rulesFile),
  );
  return [put(`${stem}.twin.json`, json(workload), JSON_BEGIN), ...workflows, rulesFile];
}

function workloadOf(
  { name, request, credentials }: Twin,
  [file = '', ...alongside]: readonly string[],
  rules: string,
): unknown {
  const { method, path, body, answers } = request;
  return {
    ...{ name: `twin-${name}`, title: 'Twin of a workflow', answers },
    stresses: 'What the workflow does in n8n, with a stand-in in the place of every service.',
    request: { method, path, ...(body === undefined ? {} : { body: { json: body } }) },
    reply: { expect: ['status==200'] },
    variants: { native: { file, n8n: '>=1.0.0', alongside } },
    needs: ['upstream'],
    standIn: { rules, credentials },
  };
}
