import { conversation, requireOf } from './conversation.mjs';

const [packages, anthropicApiUrl] = process.argv.slice(2);
const { ChatAnthropic } = requireOf(packages)('@langchain/anthropic');
const model = new ChatAnthropic({
  apiKey: 'none',
  model: 'claude-sonnet-4-5',
  anthropicApiUrl,
  maxRetries: 0,
});
console.log(JSON.stringify(await conversation(packages, model)));
