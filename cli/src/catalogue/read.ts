import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, Mistake } from '../ui/exit';
import { parseYamlFile } from '../ui/yaml-file';
import { parseExport, type ExportedWorkflow } from './exported-workflow';
import { faultsOf } from './faults';
import type { SeedWorkflow } from './seeding';
import { withTriggersOff, type FileWebhook } from './triggers';
import { catalogueSchema, workloadSchema, type Catalogue, type Workload } from './workload';
import { readPlainFile } from '../linux/plain-file';

/** What keys were called before. */
const FORMER = { reply: 'response' };

let last: { file: string; text: string; catalogue: Catalogue } | undefined;

/** The bundled workloads, checked: a fault in them must not show only under load. Nobody may change what it returns. */
export function readCatalogue(file: string): Catalogue {
  const text = textOf(file);
  if (last?.file === file && last.text === text) return last.catalogue;
  const catalogue = parseYamlFile(text, file, {
    ...{ name: 'catalogue', schema: catalogueSchema },
    former: FORMER,
  });
  const [fault] = faultsOf(catalogue, (path) => existsSync(join(dirname(file), path)));
  if (fault !== undefined) throw new Mistake(`${file} is invalid: ${fault}`);
  last = { file, text, catalogue };
  return catalogue;
}

/** A file of the user's with one workload, in YAML or JSON. */
export function readWorkload(file: string): Workload {
  return parseYamlFile(textOf(file), file, {
    ...{ name: 'workload', schema: workloadSchema },
    former: FORMER,
  });
}

/** Workflows of one file, which may hold several. */
export function exportedIn({ name, file, loads }: SeedWorkflow): ExportedWorkflow[] {
  let workflows: ExportedWorkflow[];
  try {
    workflows = parseExport(readPlainFile(file), file);
  } catch (error) {
    throw new Mistake(`the workflow '${name}' (${file}) cannot be read: ${messageOf(error)}.`);
  }
  if (loads === undefined) return workflows;
  return workflows.map(
    (each) => withTriggersOff(each, (webhook) => isAmong(webhook, loads)).workflow,
  );
}

const isAmong = (webhook: FileWebhook, all: readonly FileWebhook[]): boolean =>
  all.some(
    ({ node, method, path }) =>
      node === webhook.node && method === webhook.method && path === webhook.path,
  );

function textOf(file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new Mistake(`${file} cannot be read: ${messageOf(error)}`);
  }
}
