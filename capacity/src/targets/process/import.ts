import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { activationSql, upstreamCredential, type SeedWorkflow } from '../../catalogue/seeding';
import { exportedIn } from '../../catalogue/read';
import type { Database } from './database';
import type { ProcessSpec } from './supervisor';
import type { Tools } from './tools';

/** n8n's own imports into the database that `main` uses. n8n must not run: it reads what is active at its start. */
export function importTasks(
  main: ProcessSpec,
  tools: Tools,
  workflows: readonly SeedWorkflow[],
  log: string,
): ProcessSpec[] {
  const input = join(main.folder, 'import');
  rmSync(input, { recursive: true, force: true });
  mkdirSync(input, { recursive: true });
  workflows.flatMap(exportedIn).forEach((workflow, index) => {
    writeFileSync(join(input, `${String(index)}.json`), JSON.stringify(workflow));
  });
  const task = (...command: string[]): ProcessSpec => ({
    ...main,
    instance: 'import',
    command: [tools.node, tools.n8n, ...command],
    env: { ...main.env, EXECUTIONS_MODE: 'regular' }, // There is no queue yet, and no need of one.
    limits: {},
    log,
    kind: 'task',
  });
  const tasks = [task('import:workflow', '--separate', `--input=${input}`)];
  if (workflows.some(({ needs }) => needs?.includes('credential') === true)) {
    const credentials = join(main.folder, 'credentials.json');
    writeFileSync(credentials, JSON.stringify([upstreamCredential()]));
    tasks.push(task('import:credentials', `--input=${credentials}`));
  }
  return tasks;
}

export async function activateAll(database: Database, version: string): Promise<void> {
  await database.query(activationSql(version));
  if (database.kind === 'sqlite') await database.query('PRAGMA wal_checkpoint(TRUNCATE)');
}
