import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SeedWorkflow } from '../target';
import type { Database } from './database';
import { isLegacy } from './env';

const run = promisify(execFile);

export interface Importer {
  node: string;
  n8n: string;
  version: string;
  /** A process of n8n that sees the database. */
  env: Record<string, string>;
  folder: string;
}

/** Imports and activates; n8n must not be running, since it reads what is active when it starts. */
export async function importWorkflows(
  importer: Importer,
  database: Database,
  workflows: readonly SeedWorkflow[],
): Promise<void> {
  const input = join(importer.folder, 'import');
  mkdirSync(input, { recursive: true });
  workflows.forEach((workflow, index) => {
    const exported = parseExport(workflow);
    exported.forEach((one, part) => {
      const name = `${String(index)}-${String(part)}.json`;
      writeFileSync(join(input, name), JSON.stringify(one));
    });
  });
  await run(importer.node, [importer.n8n, 'import:workflow', '--separate', `--input=${input}`], {
    env: { PATH: process.env['PATH'] ?? '', ...importer.env },
    cwd: importer.folder,
    timeout: 120_000,
  }).catch((error: unknown) => {
    throw new Error(`n8n could not import the workflows: ${lastLines(error)}`);
  });
  rmSync(input, { recursive: true, force: true });
  // n8n's own commands activate one workflow at a time (4.7 s each), or wrongly deactivate (0.x).
  await database.query(
    isLegacy(importer.version)
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
    throw new Error(`the workflow '${name}' (${file}) is no JSON: ${String(error)}`);
  }
  return Array.isArray(exported) ? exported : [exported];
}

function lastLines(error: unknown): string {
  const { stdout, stderr } = error as { stdout?: string; stderr?: string };
  return `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').slice(-3).join(' ') || String(error);
}
