import { requireOf } from './conversation.mjs';

const [packages, urls] = process.argv.slice(2);
const [baseURL, cutURL] = urls.split(' ');
const { Anthropic } = requireOf(packages)('@anthropic-ai/sdk');
const settings = { apiKey: 'none', maxRetries: 0 };
const models = (await new Anthropic({ ...settings, baseURL }).models.list()).data.map(
  ({ id }) => id,
);
let cut = false;
try {
  const stream = await new Anthropic({ ...settings, baseURL: cutURL }).messages.create({
    model: 'm',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
  });
  for await (const event of stream) void event;
} catch {
  cut = true;
}
console.log(JSON.stringify({ models, cut }));
