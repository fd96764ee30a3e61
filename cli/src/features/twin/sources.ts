/** Sources of a twin: files, or an n8n with its workflows and their last executions. */
import { parseExport, type ExportedWorkflow } from '../../catalogue/exported-workflow';
import { readPlainFile } from '../../linux/plain-file';
import { N8nApi, TooLarge } from '../../targets/url/api';
import { rowsOf } from '../../targets/url/pages';
import { messageOf, Mistake } from '../../ui/exit';
import { parseYamlFile } from '../../ui/yaml-file';
import { executionSchema, isOf, recordingOf, type Execution } from './analysis/recorded';
import { calledBy, type Source } from './analysis/twin';

/** Executions of each workflow whose data is read. */
const EXECUTIONS = 5;
/** An execution with more data than this is left out. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface FileOrder {
  files: readonly string[];
  executions: readonly string[];
  keepsValues: boolean;
}

export function sourcesInFiles({ files, executions, keepsValues }: FileOrder): Source[] {
  const workflows = files.flatMap((file) => parseExport(read(file, 'the workflow'), file));
  if (workflows.length === 0) throw new Mistake(`no workflow found in ${files.join(' ')}.`);
  const all = executions.map((file) => {
    const kind = { name: 'execution', schema: executionSchema };
    const execution = parseYamlFile(read(file, 'the execution'), file, kind);
    if (workflows.some((workflow) => isOf(execution, workflow))) return execution;
    throw new Mistake(
      `${file} is an execution of another workflow: none of the given workflows contains its nodes.`,
    );
  });
  // Each execution belongs to one workflow.
  const ownerOf = (execution: Execution): ExportedWorkflow | undefined =>
    workflows.find((workflow) => isOf(execution, workflow));
  return workflows.map((workflow) => ({
    workflow,
    recording: recordingOf(
      workflow,
      all.filter((execution) => ownerOf(execution) === workflow),
      keepsValues,
    ),
  }));
}

function read(file: string, what: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new Mistake(`${what} ${file} cannot be read: ${messageOf(error)}.`);
  }
}

export interface N8nOrder {
  api: N8nApi;
  /** The id of the workflow that is loaded. */
  workflow: string;
  keepsValues: boolean;
  tell: (text: string) => void;
}

/** The workflow, then all that it calls and all that begins when one of them fails, each once. */
export async function sourcesInN8n({
  api,
  workflow: id,
  keepsValues,
  tell,
}: N8nOrder): Promise<Source[]> {
  const sources: Source[] = [];
  const open = [id];
  const seen = new Set(open);
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    tell(`reading the workflow ${next} and its last executions`);
    const workflow = await api.ask<ExportedWorkflow>(
      'GET',
      `/workflows/${encodeURIComponent(next)}`,
    );
    const executions = await lastExecutions(api, next, tell);
    sources.push({ workflow, recording: recordingOf(workflow, executions, keepsValues) });
    const more = calledBy(workflow).filter((each) => !seen.has(each));
    for (const each of more) seen.add(each);
    open.push(...more);
  }
  return sources;
}

async function lastExecutions(
  api: N8nApi,
  workflow: string,
  tell: (text: string) => void,
): Promise<Execution[]> {
  const path = `/executions?workflowId=${encodeURIComponent(workflow)}&status=success`;
  const executions: Execution[] = [];
  for await (const { id } of rowsOf<{ id: string | number }>(api, path, {
    ...{ size: EXECUTIONS, max: 1 },
  })) {
    try {
      const answer = await api.ask('GET', `/executions/${String(id)}?includeData=true`, {
        maxBytes: MAX_BYTES,
      });
      const execution = executionSchema.safeParse(answer);
      // One without data was deleted meanwhile, or is kept without it.
      if (execution.success) executions.push(execution.data);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      tell(`leaving out the execution ${String(id)}: ${messageOf(error)}`);
    }
  }
  return executions;
}

/** The number of executions, the newest, whose workflows are counted. */
const COUNTED = 2_000;
const PAGE = 250;
/** Begun by another workflow or by a failure: they come along with what begins them. */
const BEGUN_BY_ANOTHER = new Set(['integrated', 'error', 'manual', 'evaluation']);

/** The workflows of the newest executions, the one with most of them first. */
export async function busiest(
  api: N8nApi,
  top: number,
): Promise<{ workflow: string; runs: number }[]> {
  const runs = new Map<string, number>();
  const pages = { size: PAGE, max: COUNTED / PAGE };
  for await (const { workflowId, mode } of rowsOf<{ workflowId: string | number; mode: string }>(
    api,
    '/executions',
    pages,
  )) {
    if (BEGUN_BY_ANOTHER.has(mode)) continue;
    const id = String(workflowId);
    runs.set(id, (runs.get(id) ?? 0) + 1);
  }
  return [...runs]
    .map(([workflow, count]) => ({ workflow, runs: count }))
    .sort((one, other) => other.runs - one.runs)
    .slice(0, top);
}
