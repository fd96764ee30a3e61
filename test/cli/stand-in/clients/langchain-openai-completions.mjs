import { conversation, requireOf } from './conversation.mjs';

const [packages, baseURL] = process.argv.slice(2);
const { ChatOpenAI } = requireOf(packages)('@langchain/openai');
const model = new ChatOpenAI({
  apiKey: 'none',
  model: 'gpt-5-mini',
  configuration: { baseURL },
  useResponsesApi: false,
  maxRetries: 0,
});
console.log(JSON.stringify(await conversation(packages, model)));
