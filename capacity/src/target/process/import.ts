import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../../ui/exit';
import type { SeedWorkflow } from '../target';
import type { Database } from './database';
import { isLegacy } from './env';
import type { ProcessSpec } from './supervisor';
import type { Tools } from './tools';

/** n8n's own import into the database that `main` uses. n8n must not run: it reads what is active at its start. */
export function importTask(
  main: ProcessSpec,
  tools: Tools,
  workflows: readonly SeedWorkflow[],
  log: string,
): ProcessSpec {
  const input = join(main.folder, 'import');
  rmSync(input, { recursive: true, force: true });
  mkdirSync(input, { recursive: true });
  workflows.forEach((workflow, index) => {
    parseExport(workflow).forEach((one, part) => {
      const name = `${String(index)}-${String(part)}.json`;
      writeFileSync(join(input, name), JSON.stringify(one));
    });
  });
  return {
    ...main,
    instance: 'import',
    command: [tools.node, tools.n8n, 'import:workflow', '--separate', `--input=${input}`],
    env: { ...main.env, EXECUTIONS_MODE: 'regular' }, // There is no queue yet, and no need of one.
    limits: {},
    log,
    kind: 'task',
  };
}

/** n8n's own commands activate one workflow at a time (4.7 s each), or wrongly deactivate (0.x). */
export async function activateAll(database: Database, version: string): Promise<void> {
  await database.query(
    isLegacy(version)
      ? 'UPDATE workflow_entity SET active = TRUE'
      : 'UPDATE workflow_entity SET active = TRUE, "activeVersionId" = "versionId"',
  );
  if (database.kind === 'sqlite') await database.query('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** One workflow, or an array as `n8n export:workflow --all` writes it. */
function parseExport({ name, file }: SeedWorkflow): unknown[] {
  let exported: unknown;
  try {
    exported = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UserError(`the workflow '${name}' (${file}) cannot be read: ${messageOf(error)}.`);
  }
  return Array.isArray(exported) ? exported : [exported];
}
