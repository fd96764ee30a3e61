/**
 * Expectations: what the expected response looks like, one short text each. The only parser of them; k6 and
 * the command both use it.
 *
 *   status==200        status<400         header.content-type~json
 *   json.ok==true      json[0].id!=null   json.items.0.name=="a b"
 *   body~"welcome"     body!~"<html"      json.ok            (is there, and not null)
 *
 * Left of the operator stands what is looked at, right of it a JSON value or plain text. `=` is `==`;
 * `~` asks whether the text contains the value, `!~` that it does not.
 */
import { holds } from './condition.ts';
import { Mistake } from './mistake.ts';

export interface HttpResponse {
  status: number;
  /** Names in any case. */
  headers: Record<string, string>;
  body: string;
}

export type ResponseCheck = (response: HttpResponse, json: () => unknown) => boolean;

export interface Expectation {
  text: string;
  /** It says which status is expected: then that is the user's decision alone, see expected.ts. */
  namesStatus: boolean;
  holds: ResponseCheck;
}

type Operator = '!~' | '==' | '!=' | '<=' | '>=' | '=' | '<' | '>' | '~';

const SHAPE =
  /^\s*(status|json|body|header)((?:[.[][^=!<>~]*)?)\s*(?:(!~|==|!=|<=|>=|=|<|>|~)\s*(.*?)\s*)?$/s;

export function parseExpectation(text: string): Expectation {
  const match = SHAPE.exec(text);
  if (match === null) {
    throw new Mistake(
      `the expectation '${text}' is not understood: use a form such as status==200, json.ok==true, body~"text" or header.content-type~json`,
    );
  }
  const subject = match[1] ?? '';
  const path = pathOf((match[2] ?? '').trim());
  const operator = match[3] as Operator | undefined;
  const isText = subject === 'body' || subject === 'header';
  if ((subject === 'status' || subject === 'body') && path.length > 0) {
    throw new Mistake(`the expectation '${text}' is not understood: ${subject} has no parts`);
  }
  if (subject === 'header' && path.length === 0) {
    throw new Mistake(
      `the expectation '${text}' names no header: write header.NAME, as in header.content-type~json`,
    );
  }
  if (operator === undefined && subject !== 'json' && subject !== 'header') {
    throw new Mistake(
      `the expectation '${text}' does not contain a condition on the ${subject}: use a form such as ${subject}==200`,
    );
  }
  const wanted = wantedOf(match[4] ?? '', isText || operator === '~' || operator === '!~');
  if (subject === 'status' && typeof wanted !== 'number') {
    throw new Mistake(
      `the expectation '${text}' compares the status with something that is not a number`,
    );
  }
  const look = lookAt(subject, path);
  return {
    text,
    namesStatus: subject === 'status',
    holds: (response, json) => {
      const seen = look(response, json);
      return operator === undefined
        ? seen !== undefined && seen !== null
        : compare(seen, operator, wanted);
    },
  };
}

/** The first expectation that does not hold, in words; null when the response is right. */
export function wrongWith(
  expectations: readonly Expectation[],
  response: HttpResponse,
): string | null {
  const json = lazyJson(response.body);
  for (const expectation of expectations) {
    if (!expectation.holds(response, json)) {
      return `${expectation.text} is not met`;
    }
  }
  return null;
}

/** The value at a path such as `json.headers.x-load-id` or `header.x-load-id`; undefined where there is none. */
export function valueAt(path: string, response: HttpResponse): unknown {
  const match = /^(json|header)([.[].*)?$/.exec(path);
  if (match === null) {
    throw new Mistake(`'${path}' is not a place in a response: write json.PATH or header.NAME`);
  }
  return lookAt(match[1] ?? '', pathOf(match[2] ?? ''))(response, lazyJson(response.body));
}

function pathOf(text: string): string[] {
  return text
    .replaceAll('[', '.')
    .replaceAll(']', '')
    .split('.')
    .filter((part) => part !== '');
}

function wantedOf(text: string, isText: boolean): unknown {
  const quoted = text.startsWith('"');
  if (isText && !quoted) {
    return text;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function lookAt(
  subject: string,
  path: string[],
): (response: HttpResponse, json: () => unknown) => unknown {
  switch (subject) {
    case 'status':
      return (response) => response.status;
    case 'body':
      return (response) => response.body;
    case 'header': {
      const name = path.join('.').toLowerCase();
      return (response) =>
        Object.entries(response.headers).find(([key]) => key.toLowerCase() === name)?.[1];
    }
    default:
      return (_reply, json) => path.reduce(step, json());
  }
}

function step(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function compare(seen: unknown, operator: Operator, wanted: unknown): boolean {
  switch (operator) {
    case '=':
    case '==':
      return same(seen, wanted);
    case '!=':
      return !same(seen, wanted);
    case '~':
      return asText(seen).includes(String(wanted));
    case '!~':
      return !asText(seen).includes(String(wanted));
    default:
      return holds(Number(seen), { operator, bound: Number(wanted) });
  }
}

function same(seen: unknown, wanted: unknown): boolean {
  return seen === wanted || (seen !== undefined && JSON.stringify(seen) === JSON.stringify(wanted));
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Parsed at most once, and only when asked for; a body that is no JSON is undefined. */
function lazyJson(body: string): () => unknown {
  let parsed: { value: unknown } | undefined;
  return () => {
    parsed ??= { value: parseJson(body) };
    return parsed.value;
  };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
