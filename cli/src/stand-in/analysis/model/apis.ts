/** The APIs of language models that a stand-in answers, by their paths. Pure. */
import type { Random } from '../../../../../loadtests/lib/random';
import * as chatCompletions from './chat-completions';
import * as messages from './messages';
import * as responses from './responses';
import { field, textAt, tokensIn, type Prompt, type Stream, type Turn } from './turn';

export interface ModelApi {
  promptOf: (body: unknown) => Prompt;
  whole: (turn: Turn, createdSeconds: number) => unknown;
  stream: (turn: Turn, createdSeconds: number, body: unknown) => Stream;
}

const APIS: Record<string, ModelApi> = {
  '/chat/completions': chatCompletions,
  '/responses': responses,
  '/messages': messages,
};

/** `/v1/responses`, or `/responses` where the address of a credential has no version. */
const partOf = (path: string): string => path.replace(/^\/v1(?=\/)/, '');

export const modelApi = (method: string, path: string): ModelApi | null =>
  method === 'POST' ? (APIS[partOf(path)] ?? null) : null;

const MODELS = ['gpt-5-mini', 'gpt-4o-mini', 'text-embedding-3-small', 'claude-sonnet-4-5'];

/** What is answered without a turn of a model. */
export const isAtOnce = (method: string, path: string): boolean =>
  AT_ONCE.includes(`${method} ${partOf(path)}`);

const AT_ONCE = ['GET /models', 'POST /embeddings'];

export const atOnce = (
  path: string,
  { body, random, dimensions }: { body: unknown; random: Random; dimensions: number },
): unknown => (partOf(path) === '/models' ? modelList() : embeddings(body, random, dimensions));

/** In the form of OpenAI, with what Anthropic's clients read beside it. */
function modelList(): unknown {
  const created = '2026-01-01T00:00:00Z';
  return {
    ...{ object: 'list', has_more: false, first_id: MODELS[0], last_id: MODELS.at(-1) },
    data: MODELS.map((id) => ({
      ...{ id, object: 'model', created: 1_767_225_600, owned_by: 'stand-in' },
      ...{ type: 'model', display_name: id, created_at: created },
    })),
  };
}

function embeddings(body: unknown, random: Random, fallback: number): unknown {
  const input = field(body, 'input');
  const inputs = Array.isArray(input) ? input : [input];
  const asked = field(body, 'dimensions');
  const dimensions = typeof asked === 'number' ? Math.min(asked, 10_000) : fallback;
  const tokens = tokensIn(JSON.stringify(input ?? ''));
  return {
    object: 'list',
    data: inputs.map((_, index) => {
      const vector = unitVector(random, dimensions);
      const embedding =
        textAt(body, 'encoding_format') === 'base64' ? base64(vector) : Array.from(vector);
      return { object: 'embedding', index, embedding };
    }),
    model: textAt(body, 'model'),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function unitVector(random: Random, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions).map(() => 2 * random() - 1);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** OpenAI's client asks for this form unless told otherwise: 32-bit numbers, the lowest byte first. */
function base64(vector: Float32Array): string {
  const bytes = new Uint8Array(vector.buffer);
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** The limit of tokens per minute is exceeded, in the form of both APIs. */
export const tooManyTokens = (): unknown => ({
  type: 'error',
  error: {
    ...{ message: 'Rate limit reached for tokens per minute.', type: 'rate_limit_error' },
    ...{ param: null, code: 'rate_limit_exceeded' },
  },
});
