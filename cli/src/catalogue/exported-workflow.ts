import { z } from 'zod';
import { Mistake } from '../ui/exit';

/** Exported from n8n's editor or by `n8n export:workflow`. */
const exportedWorkflow = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  name: z.string().optional(),
  nodes: z.array(z.looseObject({ type: z.string() })),
  connections: z.record(z.string(), z.unknown()),
});

export type ExportedWorkflow = z.infer<typeof exportedWorkflow>;

/** One workflow, or an array as `n8n export:workflow --all` writes it. */
export function parseExport(text: string, file: string): ExportedWorkflow[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Mistake(`${file} is not JSON: export the workflow from n8n again`);
  }
  const result = z.array(exportedWorkflow).safeParse(Array.isArray(content) ? content : [content]);
  if (!result.success) {
    throw new Mistake(`${file} is not an exported workflow: its nodes or connections are missing`);
  }
  return result.data;
}
