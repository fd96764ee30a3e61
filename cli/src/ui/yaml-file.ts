import { isMap, isNode, isPair, LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import { messageOf, Mistake } from './errors';
import { didYouMean } from '../../../loadtests/lib/nearest';

const MAX_SHOWN = 5;

/** A kind of file that a person writes. */
export interface Kind<Content> {
  /** What messages call the file, such as `plan`. */
  name: string;
  schema: z.ZodType<Content>;
  /** What its keys were called before, by their former names. */
  former?: Readonly<Record<string, string>>;
}

/** What a file's text holds. What is wrong with it is said with the file, the line and what was expected. */
export const parseYamlFile = <Content>(text: string, file: string, kind: Kind<Content>): Content =>
  checkedYaml(text, file, kind).parsed;

/** The same, also as it is written: without defaults. */
export function checkedYaml<Content>(
  text: string,
  file: string,
  kind: Kind<Content>,
): { parsed: Content; written: unknown } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => `${file}:${String(lines.linePos(offset).line)}`;
  const [broken] = document.errors;
  if (broken !== undefined) throw new Mistake(`${at(broken.pos[0])}: ${broken.message}`);
  const written = contentOf(document, file) ?? {};
  const parsed = kind.schema.safeParse(written);
  if (parsed.success) return { parsed: parsed.data, written };
  const { issues } = parsed.error;
  const shown = issues
    .slice(0, MAX_SHOWN)
    .map((issue) => `${at(offsetOf(document, issue))}: ${sentence(document, issue, kind)}`);
  const more = issues.length - shown.length;
  throw new Mistake(
    [...new Set(shown), ...(more > 0 ? [`and ${String(more)} more`] : [])].join('\n'),
  );
}

/** An alias without its anchor is seen only here. */
function contentOf(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new Mistake(`${file} cannot be read: ${messageOf(error)}`);
  }
}

type Issue = z.core.$ZodIssue;

/** Beneath it a value may be a secret, which no sentence shows. */
const SECRET = /env|header|body|key|secret|pass|token/i;

/** Without the lines of the file beneath it, in which a secret may stand. */
export const yamlFault = (error: unknown): string =>
  (messageOf(error).split('\n')[0] ?? '').replace(/:$/, '');

function sentence(document: Document, issue: Issue, kind: Kind<unknown>): string {
  const place = issue.path.length === 0 ? `the ${kind.name}` : issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(kind.schema, issue.path);
    const hint = (key: string): string => {
      const now = kind.former?.[key];
      return now === undefined ? didYouMean(key, known) : ` (now called ${now})`;
    };
    const keys = issue.keys.map((key) => `'${key}'${hint(key)}`).join(', ');
    const are = issue.keys.length === 1 ? 'is' : 'are';
    const where = issue.path.length === 0 ? `in a ${kind.name}` : `under ${place}`;
    return `${keys} ${are} not known ${where}: expected one of ${known.join(', ')}`;
  }
  const value: unknown = document.getIn(issue.path);
  const isHidden = issue.path.some((key) => SECRET.test(String(key)));
  const found = value == null || isNode(value) || isHidden ? '' : ` is ${JSON.stringify(value)}`;
  return `${place}${found}: ${expected(issue)}`;
}

export function expected(issue: Issue): string {
  if (issue.message.startsWith('expected ')) return issue.message;
  if (issue.code === 'invalid_type') return `expected ${articleOf(issue.expected)}`;
  if (issue.code === 'invalid_value') {
    return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  }
  if (issue.code === 'invalid_union') {
    return [...new Set(issue.errors.flat().map(expected))]
      .join(', or ')
      .replaceAll(', or expected', ' or');
  }
  if (issue.code === 'too_small') {
    if (issue.origin === 'array') return 'expected at least one value';
    return `expected ${issue.inclusive === true ? 'at least' : 'more than'} ${String(issue.minimum)}`;
  }
  return issue.message;
}

/** What may stand in the mapping at a path of what a schema takes. */
function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const [first, ...rest] = path;
  const { def } = schema._zod as { def: Within };
  if (schema instanceof z.core.$ZodObject) {
    const { shape } = schema._zod.def;
    if (first === undefined) return Object.keys(shape);
    const inner = shape[String(first)];
    return inner === undefined ? [] : keysAt(inner, rest);
  }
  if (first === undefined && def.keyType instanceof z.core.$ZodEnum) {
    return Object.values(def.keyType._zod.def.entries).map(String);
  }
  // What is around a schema has no step of the path; a list and a dictionary have one.
  const around = [def.innerType, def.in, def.out, def.left, ...(def.options ?? [])].map((each) => [
    each,
    path,
  ]);
  const beneath = (first === undefined ? [] : [def.element, def.valueType]).map((each) => [
    each,
    rest,
  ]);
  const all = [...around, ...beneath] as [z.core.$ZodType | undefined, PropertyKey[]][];
  return [
    ...new Set(all.flatMap(([each, steps]) => (each === undefined ? [] : keysAt(each, steps)))),
  ];
}

/** The fields in which zod keeps nested schemas, by kind. */
interface Within {
  keyType?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  out?: z.core.$ZodType;
  left?: z.core.$ZodType;
  options?: z.core.$ZodType[];
  element?: z.core.$ZodType;
  valueType?: z.core.$ZodType;
}

function articleOf(type: string): string {
  const names: Record<string, string> = {
    int: 'a whole number',
    number: 'a number',
    string: 'a text',
    array: 'a list',
    object: 'a mapping',
    record: 'a mapping',
  };
  return names[type] ?? type;
}

/** The offset of the mistake in the text; if something is missing, the offset at which it belongs. */
function offsetOf(document: Document, issue: Issue): number {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code === 'unrecognized_keys') {
    return keyOffset(document, [...path, issue.keys[0] ?? '']) ?? 0;
  }
  for (let length = path.length; length > 0; length -= 1) {
    const head = path.slice(0, length);
    const node = document.getIn(head, true);
    const last = head.at(-1);
    const offset =
      typeof last === 'string' && !(isNode(node) && !isMap(node))
        ? keyOffset(document, head)
        : isNode(node)
          ? node.range?.[0]
          : undefined;
    if (offset !== undefined) return offset;
  }
  return document.contents?.range?.[0] ?? 0;
}

function keyOffset(document: Document, path: readonly (string | number)[]): number | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(
    (item) => isPair(item) && isNode(item.key) && String(item.key) === path.at(-1),
  );
  return pair !== undefined && isNode(pair.key) ? pair.key.range?.[0] : undefined;
}
