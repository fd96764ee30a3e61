/** OpenAI's POST /v1/responses, the default of n8n's OpenAI Chat Model from 1.3 on. Pure. */
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
  const input = listAt(body, 'input');
  const lastUser = input.findLastIndex((item) => textAt(item, 'role') === 'user');
  const choice = field(body, 'tool_choice');
  return {
    model: textAt(body, 'model'),
    streams: field(body, 'stream') === true,
    tools: listAt(body, 'tools')
      .filter((tool) => textAt(tool, 'type') === 'function')
      .map((tool) => ({ name: textAt(tool, 'name'), schema: field(tool, 'parameters') })),
    toolResults: input
      .slice(lastUser + 1)
      .filter((item) => textAt(item, 'type') === 'function_call_output').length,
    forcedTool: choice === 'required' ? '' : textAt(choice, 'name') || null,
    answerSchema: field(field(field(body, 'text'), 'format'), 'schema') ?? null,
    promptTokens: tokensIn(JSON.stringify(field(body, 'input') ?? '')),
  };
}

function outputOf({ number, toolCall, tokens }: Turn) {
  const id = String(number);
  return toolCall === null
    ? {
        ...{ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed' },
        // The client maps over the annotations.
        content: [{ type: 'output_text', text: tokens.join(''), annotations: [] }],
      }
    : {
        ...{ type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, name: toolCall.name },
        ...{ arguments: JSON.stringify(toolCall.input), status: 'completed' },
      };
}

export const whole = (turn: Turn, created: number) => ({
  ...{ id: `resp_${String(turn.number)}`, object: 'response', created_at: created },
  ...{ model: turn.model, status: 'completed', error: null, incomplete_details: null },
  output: [outputOf(turn)],
  usage: {
    input_tokens: turn.promptTokens,
    output_tokens: turn.answerTokens,
    total_tokens: turn.promptTokens + turn.answerTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
  ...{ metadata: {}, parallel_tool_calls: true, tools: [], text: { format: { type: 'text' } } },
});

export function stream(turn: Turn, created: number): Stream {
  const response = whole(turn, created);
  const item = outputOf(turn);
  let number = 0;
  const sent = (type: string, more: object): string =>
    event({ type, sequence_number: number++, ...more }, type);
  const place = { output_index: 0, item_id: item.id };
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const empty = turn.toolCall === null ? { content: [] } : { arguments: '' };
  const opening =
    sent('response.created', { response: begun }) +
    sent('response.output_item.added', {
      output_index: 0,
      item: { ...item, ...empty, status: 'in_progress' },
    });
  const pieces =
    turn.toolCall === null
      ? turn.tokens.map((delta) =>
          sent('response.output_text.delta', { ...place, content_index: 0, delta }),
        )
      : [
          sent('response.function_call_arguments.delta', {
            ...place,
            delta: JSON.stringify(turn.toolCall.input),
          }),
        ];
  const closing =
    sent('response.output_item.done', { output_index: 0, item }) +
    sent('response.completed', { response });
  return { opening, pieces, closing };
}
