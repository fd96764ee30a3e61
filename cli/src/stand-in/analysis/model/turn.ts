/** One answer of a language model, before it has the form of an API. Pure. */
import type { Model } from '../../plan';

/** What a request asks for, whichever API it is of. */
export interface Prompt {
  model: string;
  streams: boolean;
  tools: Tool[];
  /** Results of tools since the user spoke last. */
  toolResults: number;
  /** A tool that has to be called, whatever else; '' for any. */
  forcedTool: string | null;
  /** JSON schema of the answer; null: it is text. */
  answerSchema: unknown;
  promptTokens: number;
}

export interface Tool {
  name: string;
  schema: unknown;
}

export interface Turn {
  /** The number of the call, from 1 on. */
  number: number;
  model: string;
  /** Null: the answer is text. */
  toolCall: { name: string; input: unknown } | null;
  /** The answer, a token each. */
  tokens: string[];
  promptTokens: number;
  answerTokens: number;
}

/** What a stream sends: before the first token, a piece per token, and at the end. */
export interface Stream {
  opening: string;
  pieces: string[];
  closing: string;
}

const WORDS =
  'the order of this customer was checked and is on its way to them today '.match(/\w+ /g) ?? [];

export function turnOf(prompt: Prompt, model: Model, number: number): Turn {
  const { tools, toolResults, forcedTool, answerSchema, promptTokens } = prompt;
  const wanted =
    forcedTool === null || forcedTool === ''
      ? tools[toolResults % Math.max(1, tools.length)]
      : tools.find(({ name }) => name === forcedTool);
  const calls = forcedTool !== null || toolResults < model.toolRounds;
  const tool = calls ? wanted : undefined;
  const toolCall =
    tool === undefined ? null : { name: tool.name, input: exampleOf(tool.schema) ?? {} };
  const tokens =
    toolCall !== null
      ? []
      : answerSchema === null
        ? Array.from({ length: model.tokens }, (_, index) => WORDS[index % WORDS.length] ?? '')
        : [JSON.stringify(exampleOf(answerSchema))];
  const answerTokens = toolCall === null ? model.tokens : tokensIn(JSON.stringify(toolCall));
  return { number, model: prompt.model, toolCall, tokens, promptTokens, answerTokens };
}

/** About four characters each, as texts in English have. */
export const tokensIn = (text: string): number => Math.max(1, Math.ceil(text.length / 4));

const MAX_DEPTH = 8;

/** A value that a JSON schema allows. */
export function exampleOf(given: unknown, root = given, depth = 0): unknown {
  if (typeof given !== 'object' || given === null || depth > MAX_DEPTH) return 'x';
  const schema = given as Record<string, unknown>;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown;
  if (typeof schema['$ref'] === 'string')
    return exampleOf(refOf(schema['$ref'], root), root, depth + 1);
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const choices = schema[key];
    if (Array.isArray(choices)) return exampleOf(choices[0], root, depth + 1);
  }
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  if (type === 'object' || 'properties' in schema) {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, unknown>);
    return Object.fromEntries(
      properties.map(([name, each]) => [name, exampleOf(each, root, depth + 1)]),
    );
  }
  if (type === 'array') return [exampleOf(schema['items'] ?? {}, root, depth + 1)];
  if (type === 'number' || type === 'integer') return schema['minimum'] ?? 1;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return 'x';
}

const refOf = (ref: string, root: unknown): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], root);

/** One event of a stream. */
export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** A field of a body that may be anything. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;

export const listAt = (value: unknown, name: string): unknown[] => {
  const list = field(value, name);
  return Array.isArray(list) ? list : [];
};

export const textAt = (value: unknown, name: string): string => {
  const text = field(value, name);
  return typeof text === 'string' ? text : '';
};
