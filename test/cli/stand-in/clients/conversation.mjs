// A conversation with two tools, whole and streamed, by a chat model of LangChain.
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const requireOf = (packages) => createRequire(join(packages, 'n8n', 'package.json'));

export async function conversation(packages, model) {
  const require = requireOf(packages);
  const { HumanMessage, ToolMessage } = require('@langchain/core/messages');
  const { tool } = require('@langchain/core/tools');
  const { z } = require('zod');
  const tools = [
    tool(() => 'ok', {
      name: 'stock',
      description: 'What is in stock',
      schema: z.object({ article: z.string(), count: z.number() }),
    }),
    tool(() => 'ok', {
      name: 'price',
      description: 'What it costs',
      schema: z.object({ currency: z.enum(['EUR', 'USD']) }),
    }),
  ];
  const bound = model.bindTools(tools);
  const messages = [new HumanMessage('Is it there, and what does it cost?')];
  const calls = [];
  for (let round = 0; round < 2; round += 1) {
    const said = await bound.invoke(messages);
    const [call] = said.tool_calls;
    calls.push({ name: call.name, args: call.args });
    messages.push(said, new ToolMessage({ content: 'ok', tool_call_id: call.id }));
  }
  const answer = await bound.invoke(messages);
  const streamed = async (given) => {
    let whole;
    for await (const chunk of await bound.stream(given)) whole = whole?.concat(chunk) ?? chunk;
    return whole;
  };
  const [{ name, args }] = (await streamed(messages.slice(0, 1))).tool_calls;
  const streamedAnswer = await streamed(messages);
  return {
    calls,
    answer: answer.text.trim(),
    streamedCall: { name, args },
    streamedAnswer: streamedAnswer.text.trim(),
    hasUsage: [answer, streamedAnswer].every((each) => each.usage_metadata.total_tokens > 6),
  };
}
