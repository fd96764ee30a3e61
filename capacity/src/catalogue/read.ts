import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import type { z } from 'zod';
import { messageOf, Mistake } from '../ui/exit';
import { faultsOf } from './faults';
import { catalogueSchema, workloadSchema, type Catalogue, type Workload } from './workload';

/** The bundled workloads, checked: a fault in them must not show only under load. */
export function readCatalogue(file: string): Catalogue {
  const catalogue = parsed(file, catalogueSchema);
  const [fault] = faultsOf(catalogue, (path) => existsSync(join(dirname(file), path)));
  if (fault !== undefined) throw new Mistake(`${file} is wrong: ${fault}`);
  return catalogue;
}

/** A file of the user's with one workload, in YAML or JSON. */
export function readWorkload(file: string): Workload {
  return parsed(file, workloadSchema);
}

function parsed<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> {
  let content: unknown;
  try {
    // JSON is YAML too.
    content = parseYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Mistake(`${file} cannot be read: ${messageOf(error)}`);
  }
  const result = schema.safeParse(content);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new Mistake(
      `${file} is wrong at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it does not fit'}`,
    );
  }
  return result.data;
}
