/** What a file of a record holds, checked: the reader of a record gets its whole shape, or one sentence. */
import type { z } from 'zod';
import { readPlainFile } from '../linux/plain-file';
import { messageOf, Mistake } from '../ui/exit';
import { expected } from '../ui/yaml-file';

export interface RecordShape<Content> {
  /** What messages call the record, with its article. */
  what: string;
  /** Left out where the file's name alone says it. */
  kind?: string;
  version: number;
  schema: z.ZodType<Content>;
}

export function readRecordFile<Content>(file: string, shape: RecordShape<Content>): Content {
  const content = readJsonFile(file, shape.what);
  const { kind, schemaVersion } = content;
  if (shape.kind !== undefined && kind !== shape.kind) {
    throw unreadable(file, shape.what, `its kind is ${shown(kind)}, not "${shape.kind}"`);
  }
  if (schemaVersion !== shape.version) {
    throw new Mistake(
      `${file} has schemaVersion ${shown(schemaVersion)}, which this version of n8n-tuned does not know: use the version that wrote the file.`,
    );
  }
  return checked(file, shape.what, shape.schema, content);
}

/** A file of an object that has neither a kind nor a version. */
export const readObjectFile = <Content>(
  file: string,
  what: string,
  schema: z.ZodType<Content>,
): Content => checked(file, what, schema, readJsonFile(file, what));

function checked<Content>(
  file: string,
  what: string,
  schema: z.ZodType<Content>,
  content: unknown,
): Content {
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place =
    issue === undefined || issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
  throw unreadable(
    file,
    what,
    `${place}${issue === undefined ? 'it is invalid' : expected(issue)}`,
  );
}

function readJsonFile(file: string, what: string): Record<string, unknown> {
  const content = jsonIn(file, what);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw unreadable(file, what, `it holds ${shown(content)}, not an object`);
  }
  return content as Record<string, unknown>;
}

function jsonIn(file: string, what: string): unknown {
  let text: string;
  try {
    text = readPlainFile(file);
  } catch (error) {
    throw unreadable(file, what, messageOf(error));
  }
  try {
    // An editor may have put a mark before it.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // The message itself would show what the file holds.
    const isCut = text.trim() === '' || /end of JSON/.test(messageOf(error));
    throw unreadable(file, what, isCut ? 'it is truncated' : 'it is not JSON');
  }
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (value === undefined) return 'nothing';
  return JSON.stringify(value).slice(0, 40);
}

export const unreadable = (file: string, what: string, why: string): Mistake =>
  new Mistake(`${file} cannot be read as ${what}: ${why}; restore it, or move it.`);
