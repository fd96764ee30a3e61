/** OpenAI's POST /v1/chat/completions. Pure. */
import {
  event,
  field,
  listAt,
  textAt,
  tokensIn,
  type Prompt,
  type Stream,
  type Turn,
} from './turn';

export function promptOf(body: unknown): Prompt {
  const messages = listAt(body, 'messages');
  const lastUser = messages.findLastIndex((message) => textAt(message, 'role') === 'user');
  const choice = field(body, 'tool_choice');
  return {
    model: textAt(body, 'model'),
    streams: field(body, 'stream') === true,
    tools: listAt(body, 'tools').map((tool) => ({
      name: textAt(field(tool, 'function'), 'name'),
      schema: field(field(tool, 'function'), 'parameters'),
    })),
    toolResults: messages.slice(lastUser + 1).filter((each) => textAt(each, 'role') === 'tool')
      .length,
    forcedTool: choice === 'required' ? '' : textAt(field(choice, 'function'), 'name') || null,
    answerSchema: field(field(field(body, 'response_format'), 'json_schema'), 'schema') ?? null,
    promptTokens: tokensIn(JSON.stringify(messages)),
  };
}

const headOf = ({ number, model }: Turn, created: number, object: string) => ({
  ...{ id: `chatcmpl-${String(number)}`, object, created, model },
});

const usageOf = ({ promptTokens, answerTokens }: Turn) => ({
  prompt_tokens: promptTokens,
  completion_tokens: answerTokens,
  total_tokens: promptTokens + answerTokens,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
});

const callOf = ({ number, toolCall }: Turn) =>
  toolCall === null
    ? null
    : {
        ...{ id: `call_${String(number)}`, type: 'function' },
        function: { name: toolCall.name, arguments: JSON.stringify(toolCall.input) },
      };

export function whole(turn: Turn, created: number): unknown {
  const call = callOf(turn);
  return {
    ...headOf(turn, created, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: call === null ? turn.tokens.join('') : null,
          refusal: null,
          ...(call === null ? {} : { tool_calls: [call] }),
        },
        finish_reason: call === null ? 'stop' : 'tool_calls',
        logprobs: null,
      },
    ],
    usage: usageOf(turn),
  };
}

export function stream(turn: Turn, created: number, body: unknown): Stream {
  const head = headOf(turn, created, 'chat.completion.chunk');
  const chunk = (delta: unknown, finish: string | null = null): string =>
    event({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
  const call = callOf(turn);
  const usage =
    field(field(body, 'stream_options'), 'include_usage') === true
      ? event({ ...head, choices: [], usage: usageOf(turn) })
      : '';
  const named = call && { ...call, index: 0, function: { ...call.function, arguments: '' } };
  const given = call && { index: 0, function: { arguments: call.function.arguments } };
  return {
    // Without a role the client makes no message of the assistant.
    opening: chunk({ role: 'assistant', content: '' }),
    pieces:
      call === null
        ? turn.tokens.map((content) => chunk({ content }))
        : [chunk({ tool_calls: [named] }), chunk({ tool_calls: [given] })],
    closing: `${chunk({}, call === null ? 'stop' : 'tool_calls')}${usage}data: [DONE]\n\n`,
  };
}
