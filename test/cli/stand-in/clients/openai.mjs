import { requireOf } from './conversation.mjs';

const [packages, urls] = process.argv.slice(2);
const [baseURL, cutURL] = urls.split(' ');
const { OpenAI } = requireOf(packages)('openai');
const settings = { apiKey: 'none', maxRetries: 0 };
const client = new OpenAI({ ...settings, baseURL });
const models = (await client.models.list()).data.map(({ id }) => id);
const { data } = await client.embeddings.create({ model: 'e', input: ['one', 'two'] });
let cut = false;
try {
  const stream = await new OpenAI({ ...settings, baseURL: cutURL }).chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
  });
  for await (const chunk of stream) void chunk;
} catch {
  cut = true;
}
console.log(
  JSON.stringify({
    models,
    embeddings: data.map(({ embedding }) => embedding.length),
    length: Math.hypot(...data[0].embedding),
    cut,
  }),
);
