/** Anthropic's POST /v1/messages. Pure. */
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

const isToolResult = (message: unknown): boolean =>
  listAt(message, 'content').some((block) => textAt(block, 'type') === 'tool_result');

export function promptOf(body: unknown): Prompt {
  const messages = listAt(body, 'messages');
  const spoken = messages.findLastIndex(
    (message) => textAt(message, 'role') === 'user' && !isToolResult(message),
  );
  const choice = field(body, 'tool_choice');
  const kind = textAt(choice, 'type');
  return {
    model: textAt(body, 'model'),
    streams: field(body, 'stream') === true,
    tools: listAt(body, 'tools').map((tool) => ({
      name: textAt(tool, 'name'),
      schema: field(tool, 'input_schema'),
    })),
    toolResults: messages.slice(spoken + 1).filter(isToolResult).length,
    forcedTool: kind === 'tool' ? textAt(choice, 'name') : kind === 'any' ? '' : null,
    answerSchema: null,
    promptTokens: tokensIn(JSON.stringify([field(body, 'system'), messages])),
  };
}

function contentOf({ number, toolCall, tokens }: Turn) {
  return toolCall === null
    ? { type: 'text', text: tokens.join('') }
    : { type: 'tool_use', id: `toolu_${String(number)}`, ...toolCall };
}

const headOf = ({ number, model, promptTokens }: Turn) => ({
  ...{ id: `msg_${String(number)}`, type: 'message', role: 'assistant', model },
  ...{ content: [] as unknown[], stop_reason: null as string | null, stop_sequence: null },
  usage: { input_tokens: promptTokens, output_tokens: 1 },
});

const stopOf = ({ toolCall }: Turn): string => (toolCall === null ? 'end_turn' : 'tool_use');

export const whole = (turn: Turn): unknown => ({
  ...headOf(turn),
  ...{ content: [contentOf(turn)], stop_reason: stopOf(turn) },
  usage: { input_tokens: turn.promptTokens, output_tokens: turn.answerTokens },
});

export function stream(turn: Turn): Stream {
  const sent = (type: string, more: object = {}): string => event({ type, ...more }, type);
  const { toolCall } = turn;
  const empty = toolCall === null ? { text: '' } : { input: {} };
  const delta = (given: object): string => sent('content_block_delta', { index: 0, delta: given });
  return {
    opening:
      sent('message_start', { message: headOf(turn) }) +
      sent('content_block_start', { index: 0, content_block: { ...contentOf(turn), ...empty } }),
    pieces:
      toolCall === null
        ? turn.tokens.map((text) => delta({ type: 'text_delta', text }))
        : [delta({ type: 'input_json_delta', partial_json: JSON.stringify(toolCall.input) })],
    closing:
      sent('content_block_stop', { index: 0 }) +
      sent('message_delta', {
        delta: { stop_reason: stopOf(turn), stop_sequence: null },
        usage: { output_tokens: turn.answerTokens },
      }) +
      sent('message_stop'),
  };
}
