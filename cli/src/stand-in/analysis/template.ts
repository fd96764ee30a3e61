/**
 * Bodies by template, compiled once. `{{path.id}}`, `{{query.page}}`, `{{header.x-load-id}}` and `{{body.order.id}}` are parts of
 * the request, `{{n}}` is the number of the call, `{{uuid}}` a random id, and `{{i}}` counts from 1 within a list. A text that is
 * one placeholder alone becomes the value itself, with its type. `{ $repeat: 20, $of: ... }` is a list of 20, and
 * `{ $text: 2048 }` a text of as many bytes. Pure.
 */
import { uuid, type Random } from '../../../../loadtests/lib/random';

/** What a template is filled from. */
export interface TemplateInput {
  path: Record<string, string>;
  query: Record<string, string>;
  header: Record<string, unknown>;
  /** Parsed on the first use; undefined where it is no JSON. */
  body: () => unknown;
  /** Number of the call. */
  n: number;
  random: Random;
}

export type Filled = (asked: TemplateInput, i?: number) => unknown;

const PLACEHOLDER = /\{\{\s*([\w.-]+)\s*\}\}/g;
const ALONE = /^\{\{\s*([\w.-]+)\s*\}\}$/;
const FILLER = 'The quick brown fox jumps over the lazy dog. ';

/** What is wrong with a template, as a clause; null: nothing. */
export function faultOf(template: unknown): string | null {
  if (typeof template === 'string') {
    const unknown = [...template.matchAll(PLACEHOLDER)].find(([, name = '']) => !isKnown(name));
    return unknown === undefined
      ? null
      : `${unknown[0]} is not a placeholder: use path.NAME, query.NAME, header.NAME, body.FIELD, n, i or uuid`;
  }
  if (Array.isArray(template)) return template.map(faultOf).find((fault) => fault !== null) ?? null;
  if (typeof template !== 'object' || template === null) return null;
  const { $repeat, $of, $text } = template as Record<string, unknown>;
  if ($repeat !== undefined && (!isCount($repeat) || $of === undefined)) {
    return '$repeat is a whole number up to 100,000, with $of beside it';
  }
  if ($text !== undefined && !isCount($text, 64 * 1024 * 1024)) {
    return '$text is a whole number of bytes up to 64 MiB';
  }
  return faultOf(Object.values(template));
}

const isKnown = (name: string): boolean =>
  /^(n|i|uuid)$|^(path|query|header|body)(\.|$)/.test(name);

const isCount = (value: unknown, max = 100_000): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max;

export function compiled(template: unknown): Filled {
  if (typeof template === 'string') return compiledText(template);
  if (Array.isArray(template)) {
    const parts = template.map(compiled);
    return (asked, i) => parts.map((part) => part(asked, i));
  }
  if (typeof template !== 'object' || template === null) return () => template;
  const { $repeat, $of, $text } = template as Record<string, unknown>;
  if (typeof $text === 'number') {
    const text = FILLER.repeat(Math.ceil($text / FILLER.length)).slice(0, $text);
    return () => text;
  }
  if (typeof $repeat === 'number') {
    const item = compiled($of);
    return (asked) => Array.from({ length: $repeat }, (_, index) => item(asked, index + 1));
  }
  const fields = Object.entries(template).map(([key, part]) => [key, compiled(part)] as const);
  return (asked, i) => Object.fromEntries(fields.map(([key, part]) => [key, part(asked, i)]));
}

function compiledText(text: string): Filled {
  const [, alone] = ALONE.exec(text) ?? [];
  if (alone !== undefined) return (asked, i) => valueAt(alone, asked, i) ?? null;
  if (!text.includes('{{')) return () => text;
  return (asked, i) =>
    text.replace(PLACEHOLDER, (_, name: string) => asText(valueAt(name, asked, i)));
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

function valueAt(name: string, asked: TemplateInput, i: number | undefined): unknown {
  if (name === 'n') return asked.n;
  if (name === 'i') return i;
  if (name === 'uuid') return uuid(asked.random);
  const [root = '', ...keys] = name.split('.');
  if (root === 'path' || root === 'query') return asked[root][keys.join('.')];
  if (root === 'header') return asked.header[keys.join('.').toLowerCase()];
  return keys.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | null | undefined)?.[key],
    asked.body(),
  );
}
