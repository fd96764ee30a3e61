/**
 * From the catalogue to the requests that are sent: the variant laid over the workload, parameters
 * put in, a blend taken apart. Pure, and without an import from k6: the command uses it too.
 */
import { Mistake } from './mistake.ts';
import { didYouMean, unknown } from './nearest.ts';

/** One request, ready to be sent to a base URL. */
export interface LoadRequest {
  workload: string;
  /** Relative to the other requests of a blend. */
  weight: number;
  method: string;
  /** With its query, starting with a slash. */
  path: string;
  headers: Record<string, string>;
  body: LoadBody | null;
  /** Expectations, see expect.ts. */
  expect: string[];
  /** The place of x-load-id in the response; null: nowhere. */
  requestIdAt: string | null;
  /** The place in the response that says which process ran it. */
  ranAt: string | null;
  thinkTimeMs: number;
  /** No response can come sooner. */
  latencyFloorMs: number;
}

export type LoadBody =
  /** `base64`: bytes that are no text. */
  | { text: string; base64?: boolean }
  | { randomMiB: number }
  /** A body of its own for each request, in turns. */
  | { rows: readonly string[] };

/** What is read here of workflows/catalogue.json; its schema is the command's. */
export interface CatalogueShape {
  workloads: WorkloadShape[];
}

export interface WorkloadShape {
  name: string;
  request?: RequestShape | undefined;
  parameters?: Record<string, ParameterShape> | undefined;
  response?: ResponseShape | undefined;
  variants?: Record<string, VariantShape | undefined> | undefined;
  latencyFloorMs?: number | { parameter: string; times: number } | undefined;
  thinkTimeMs?: number | undefined;
  blend?: { workload: string; weight: number }[] | undefined;
  /** The number of equal webhooks that get the request; {copy} runs from 1. */
  copies?: number | undefined;
}

interface RequestShape {
  method: string;
  path: string;
  query?: Record<string, string> | undefined;
  headers?: Record<string, string> | undefined;
  body?: BodyShape | undefined;
}

type BodyShape = { json?: unknown } | { text: string } | { randomMiB: string; contentType: string };

interface ParameterShape {
  type: 'integer' | 'number' | 'string';
  default: number | string;
  min?: number | undefined;
  max?: number | undefined;
}

interface ResponseShape {
  expect: string[];
  requestIdAt?: string | undefined;
  ranAt?: string | undefined;
}

interface VariantShape {
  request?: { [Key in keyof RequestShape]?: RequestShape[Key] | undefined } | undefined;
  response?: { [Key in keyof ResponseShape]?: ResponseShape[Key] | undefined } | undefined;
}

export type ParameterValues = Record<string, number | string>;

export interface Choice {
  /** Default: native, or else the first there is. */
  variant?: string | undefined;
  /** Values as text or as numbers; those left out have their defaults. */
  parameters?: ParameterValues | undefined;
}

export function findWorkload<W extends WorkloadShape>(workloads: readonly W[], name: string): W {
  const found = workloads.find((workload) => workload.name === name);
  if (found === undefined) {
    const known = workloads.map((workload) => workload.name);
    throw new Mistake(unknown('workload', name, known));
  }
  return found;
}

/** The requests of a workload: one for most, several for a blend or for copies. */
export function requestsOf(
  catalogue: CatalogueShape,
  name: string,
  choice: Choice = {},
): LoadRequest[] {
  const workload = findWorkload(catalogue.workloads, name);
  if (workload.copies !== undefined) {
    return Array.from({ length: workload.copies }, (_, index) =>
      requestOf(workload, choice, { copy: index + 1 }),
    );
  }
  if (workload.blend === undefined) {
    return [requestOf(workload, choice)];
  }
  return workload.blend.map(({ workload: part, weight }) => ({
    ...requestOf(findWorkload(catalogue.workloads, part), { variant: choice.variant }),
    weight,
  }));
}

/** A variant that this workload has. */
export function variantOf(workload: WorkloadShape, wanted?: string): string | null {
  const names = Object.keys(workload.variants ?? {});
  if (wanted === undefined) {
    return names.includes('native') ? 'native' : (names[0] ?? null);
  }
  if (!names.includes(wanted)) {
    throw new Mistake(
      `the workload ${workload.name} has no variant '${wanted}'${didYouMean(wanted, names)}: it has ${names.join(', ') || 'none'}`,
    );
  }
  return wanted;
}

export function parametersOf(
  workload: WorkloadShape,
  given: ParameterValues = {},
): ParameterValues {
  const known = workload.parameters ?? {};
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(known, name)) {
      const names = Object.keys(known);
      throw new Mistake(
        `the workload ${workload.name} has no parameter '${name}'${didYouMean(name, names)}: it has ${names.join(', ') || 'none'}`,
      );
    }
  }
  return Object.fromEntries(
    Object.entries(known).map(([name, shape]) => [
      name,
      parameterValue(
        `the parameter ${name} of ${workload.name}`,
        shape,
        given[name] ?? shape.default,
      ),
    ]),
  );
}

/** The longest that any of them must take. */
export function floorOf(requests: readonly LoadRequest[]): number {
  return Math.max(0, ...requests.map(({ latencyFloorMs }) => latencyFloorMs));
}

/** From `name=value`, one each. */
export function parametersFrom(pairs: readonly string[]): ParameterValues {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1) {
        throw new Mistake(`the parameter '${pair}' is not understood: use a form such as n=5000`);
      }
      return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
    }),
  );
}

function latencyFloorMsOf(workload: WorkloadShape, parameters: ParameterValues): number {
  const floor = workload.latencyFloorMs ?? 0;
  return typeof floor === 'number' ? floor : Number(parameters[floor.parameter]) * floor.times;
}

function requestOf(
  workload: WorkloadShape,
  choice: Choice,
  also: ParameterValues = {},
): LoadRequest {
  const name = variantOf(workload, choice.variant);
  const variant = name === null ? undefined : workload.variants?.[name];
  const request = { ...workload.request, ...variant?.request };
  const response = { ...workload.response, ...variant?.response };
  if (request.method === undefined || request.path === undefined || response.expect === undefined) {
    throw new Mistake(
      `the workload ${workload.name} accepts no requests, because it starts by itself: import it in the editor, or choose another workload`,
    );
  }
  const values = { ...parametersOf(workload, choice.parameters), ...also };
  const query = Object.entries(request.query ?? {}).map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(fill(value, values))}`,
  );
  const path = fill(request.path, values, encodeURIComponent);
  const { body, contentType } = bodyOf(request.body, values);
  const headers = Object.entries(request.headers ?? {}).map(([key, value]) => [
    key,
    fill(value, values),
  ]);
  return {
    workload: workload.name,
    weight: 1,
    method: request.method,
    path: query.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`,
    headers: { ...contentType, ...Object.fromEntries(headers) },
    body,
    expect: response.expect.map((text) => fill(text, values)),
    requestIdAt: response.requestIdAt ?? null,
    ranAt: response.ranAt ?? null,
    thinkTimeMs: workload.thinkTimeMs ?? 0,
    latencyFloorMs: latencyFloorMsOf(workload, values),
  };
}

function bodyOf(
  body: BodyShape | undefined,
  values: ParameterValues,
): { body: LoadBody | null; contentType: Record<string, string> } {
  if (body === undefined) {
    return { body: null, contentType: {} };
  }
  if ('text' in body) {
    return {
      body: { text: fill(body.text, values) },
      contentType: { 'content-type': 'text/plain' },
    };
  }
  if ('randomMiB' in body) {
    const randomMiB = Number(fill(body.randomMiB, values));
    return { body: { randomMiB }, contentType: { 'content-type': body.contentType } };
  }
  return {
    body: { text: JSON.stringify(fillDeep(body.json, values)) },
    contentType: { 'content-type': 'application/json' },
  };
}

function fill(
  text: string,
  values: ParameterValues,
  encode: (value: string) => string = (value) => value,
): string {
  return text.replace(/\{([A-Za-z][A-Za-z0-9]*)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : encode(String(value));
  });
}

/** In JSON a text that is nothing but a parameter becomes its value, so that numbers stay numbers. */
function fillDeep(json: unknown, values: ParameterValues): unknown {
  if (typeof json === 'string') {
    const only = /^\{([A-Za-z][A-Za-z0-9]*)\}$/.exec(json)?.[1];
    return only !== undefined && values[only] !== undefined ? values[only] : fill(json, values);
  }
  if (Array.isArray(json)) {
    return json.map((item) => fillDeep(item, values));
  }
  if (typeof json === 'object' && json !== null) {
    return Object.fromEntries(
      Object.entries(json).map(([key, value]) => [key, fillDeep(value, values)]),
    );
  }
  return json;
}

function parameterValue(
  what: string,
  shape: ParameterShape,
  given: number | string,
): number | string {
  if (shape.type === 'string') {
    return String(given);
  }
  const value = typeof given === 'string' && given.trim() === '' ? Number.NaN : Number(given);
  const fits = shape.type === 'integer' ? Number.isInteger(value) : Number.isFinite(value);
  if (!fits || value < (shape.min ?? -Infinity) || value > (shape.max ?? Infinity)) {
    const bounds = [
      shape.min === undefined ? '' : ` from ${String(shape.min)}`,
      shape.max === undefined ? '' : ` up to ${String(shape.max)}`,
    ].join('');
    throw new Mistake(
      `${what} is '${String(given)}': it must be ${shape.type === 'integer' ? 'a whole number' : 'a number'}${bounds}`,
    );
  }
  return value;
}
