/**
 * Requests that differ from each other. In the path, the headers and the body of a request stand for something of its own:
 *
 *   {{n}}           its number, from 1
 *   {{id}}          its id, which is the header x-load-id too
 *   {{uuid}}        a random UUID
 *   {{pick:a|b}}    one of these texts at random
 *   {{row.name}}    a field of its row, where the body is a file of rows
 *
 * Whatever else stands in double braces is left as it is. Pure, and without an import from k6: the command uses it too.
 */
import { uuid, type Random } from './random.ts';
import type { LoadRequest } from './workload.ts';

const PLACEHOLDER = /\{\{\s*(?:(n|id|uuid)|pick:([^{}]*)|row\.([\w.-]+))\s*\}\}/g;

export interface Filling {
  n: number;
  id: string;
  random: Random;
}

type Filled = Pick<LoadRequest, 'path' | 'headers' | 'body'>;

/** Whether a request differs from the one before it. */
export const varies = ({ path, headers, body }: Filled): boolean =>
  body !== null && 'rows' in body
    ? true
    : [path, ...Object.values(headers), body !== null && isText(body) ? body.text : ''].some(
        (text) => new RegExp(PLACEHOLDER).test(text),
      );

const isText = (body: NonNullable<LoadRequest['body']>): body is { text: string } =>
  'text' in body && body.base64 !== true;

/** The request with what is its own. Rows are sent in their order, and then from the first one again. */
export function filled<Request extends Filled>(request: Request, filling: Filling): Request {
  const { path, headers, body } = request;
  const row =
    body !== null && 'rows' in body
      ? (body.rows[(filling.n + body.rows.length - 1) % body.rows.length] ?? '')
      : null;
  const values = row === null ? undefined : parsed(row);
  const fill = (text: string, write: (value: string) => string = (value) => value): string =>
    text.replace(PLACEHOLDER, (_, name?: string, choices?: string, field?: string) =>
      write(valueOf({ name, choices, field }, filling, values)),
    );
  const text = row ?? (body !== null && isText(body) ? body.text : null);
  return {
    ...request,
    path: fill(path, encodeURIComponent),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, fill(value, oneLine)]),
    ),
    body: text === null ? body : { text: fill(text) },
  };
}

function valueOf(
  { name, choices, field }: Record<'name' | 'choices' | 'field', string | undefined>,
  { n, id, random }: Filling,
  row: unknown,
): string {
  if (name === 'n') return String(n);
  if (name === 'id') return id;
  if (name === 'uuid') return uuid(random);
  if (choices !== undefined) {
    const all = choices.split('|');
    return all[Math.floor(random() * all.length)] ?? '';
  }
  const value = (field ?? '')
    .split('.')
    .reduce<unknown>(
      (part, key) => (part as Record<string, unknown> | null | undefined)?.[key],
      row,
    );
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** A line break would end a header. */
const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');
