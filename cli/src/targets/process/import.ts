import { createHash } from 'node:crypto';
import { activationSql, upstreamCredential, type SeedWorkflow } from '../../catalogue/seeding';
import type { ExportedWorkflow } from '../../catalogue/exported-workflow';
import { exportedIn } from '../../catalogue/read';
import type { Database } from './database';
import type { ProcessSpec } from './supervisor';
import type { Tools } from './tools';
import type { Workspace } from './workspace';

/**
 * n8n's own imports into the database that `main` uses, which they make where it is empty. n8n must not run: it reads
 * what is active at its start.
 */
export function importTasks(
  main: ProcessSpec,
  tools: Tools,
  workflows: readonly SeedWorkflow[],
  workspace: Workspace,
): ProcessSpec[] {
  const { log } = workspace.place('import');
  const task = (...command: string[]): ProcessSpec => ({
    ...main,
    instance: 'import',
    command: [tools.node, tools.n8n, ...command],
    env: { ...main.env, EXECUTIONS_MODE: 'regular' }, // There is no queue yet, and no need of one.
    limits: {},
    log,
    kind: 'task',
  });
  // Any command of it does for that.
  if (workflows.length === 0) return [task('list:workflow')];
  const exported = workspace.writeConfig(
    'workflows.json',
    JSON.stringify(workflows.flatMap(exportedIn).map(withId)),
  );
  const tasks = [task('import:workflow', `--input=${exported}`)];
  if (workflows.some(({ needs }) => needs?.includes('credential') === true)) {
    const text = JSON.stringify([upstreamCredential()]);
    const credentials = workspace.writeConfig('credentials.json', text);
    tasks.push(task('import:credentials', `--input=${credentials}`));
  }
  return tasks;
}

/** The editor leaves it out of what it downloads, and n8n gives none to a workflow that comes with others. */
function withId(workflow: ExportedWorkflow): ExportedWorkflow {
  const id = createHash('sha256').update(JSON.stringify(workflow)).digest('hex').slice(0, 16);
  return { id, ...workflow };
}

export async function activateAll(database: Database, version: string): Promise<void> {
  await database.query(activationSql(version));
  if (database.kind === 'sqlite') await database.query('PRAGMA wal_checkpoint(TRUNCATE)');
}
