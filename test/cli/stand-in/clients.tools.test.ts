/** The clients of n8n itself, in its versions, against the stand-in. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { labPaths } from '../../../cli/src/lab/paths';
import { parseRules } from '../../../cli/src/stand-in/rules';
import { startStandIn, type StandIn } from '../../../cli/src/stand-in/server';

const { n8n, node24 } = labPaths();
/** From here n8n finds its packages. */
const packages = join(dirname(n8n), '../..');

const RULES = `
model: { firstToken: 1ms, betweenTokens: 1ms, tokens: 6, toolRounds: 2, dimensions: 8 }
`;
let server: StandIn;
let cut: StandIn;
beforeAll(async () => {
  const start = (text: string): Promise<StandIn> =>
    startStandIn({ plan: parseRules(text, 'rules.yaml'), host: '127.0.0.1', port: 0 });
  server = await start(RULES);
  cut = await start('model: { firstToken: 1ms, betweenTokens: 1ms, tokens: 6, cut: 100% }');
});
afterAll(() => Promise.all([server.end(), cut.end()]));

/** What a client prints, as JSON. */
async function client(name: string, url: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    node24,
    [join(__dirname, 'clients', `${name}.mjs`), packages, url],
    { timeout: 50_000 },
  );
  return JSON.parse(stdout);
}

/** What every client makes of a conversation with two tools, whole and streamed. */
const conversation = {
  calls: [
    { name: 'stock', args: { article: 'x', count: 1 } },
    { name: 'price', args: { currency: 'EUR' } },
  ],
  answer: 'the order of this customer was',
  streamedCall: { name: 'stock', args: { article: 'x', count: 1 } },
  streamedAnswer: 'the order of this customer was',
  hasUsage: true,
};

test.each(['completions', 'responses'])(
  "n8n's LangChain client of OpenAI talks %s",
  async (api) => {
    const seen = await client(`langchain-openai-${api}`, `${server.url}/v1`);
    expect(seen).toEqual(conversation);
  },
);

test("n8n's LangChain client of Anthropic talks to it", async () => {
  expect(await client('langchain-anthropic', server.url)).toEqual(conversation);
});

test('the SDK of OpenAI lists models, embeds texts and sees a stream that is cut', async () => {
  const seen = await client('openai', `${server.url}/v1 ${cut.url}/v1`);
  expect(seen).toEqual({
    models: expect.arrayContaining(['gpt-5-mini']) as unknown,
    embeddings: [8, 8],
    length: expect.closeTo(1, 3) as unknown,
    cut: true,
  });
});

test('the SDK of Anthropic lists models and sees a stream that is cut', async () => {
  const seen = await client('anthropic', `${server.url} ${cut.url}`);
  expect(seen).toEqual({
    models: expect.arrayContaining(['claude-sonnet-4-5']) as unknown,
    cut: true,
  });
});
