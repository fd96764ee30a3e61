/**
 * Workflows of users as twins, in a network namespace without a route out: whatever still left n8n would fail there.
 */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRecord } from '../../cli/src/record/run-record';
import { runCli, startCli } from '../support/cli';

jest.setTimeout(900_000);

const folder = mkdtempSync(join(tmpdir(), 'twins-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Loopback alone. */
const OFFLINE = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"'];

/** What a node of the loop returned, 200 times within a second. */
const EXECUTION = {
  data: {
    resultData: {
      runData: {
        Contact: Array.from({ length: 200 }, (_, id) => ({
          executionTime: 5,
          data: { main: [[{ json: { id, name: 'Ada Example' } }]] },
        })),
      },
    },
  },
};

/** Those that ended after the load too: a busy machine is slow. */
const ALL_SUCCEEDED = { failed: 0, unfinished: 0, requests: 5, expectedResponses: 5 };

async function make(name: string, ...more: string[]): Promise<void> {
  const template = join(__dirname, `../process/twins/${name}.json`);
  if (existsSync(template)) copyFileSync(template, join(folder, `${name}.json`));
  const made = await runCli(['twin', `${name}.json`, '--force', ...more], {}, folder);
  expect(made).toMatchObject({ code: 0, stderr: '' });
}

async function loaded(name: string, ...more: string[]): Promise<RunRecord> {
  const patience = ['--timeout', '5m', '--drain', '5m', '--ready', '5m'];
  const flags = ['--rate', '0.5', '--duration', '10s', '--warmup', '0s', ...patience];
  const words = ['run', '--workload', `${name}.twin.json`, ...flags, ...more, '--json'];
  const run = startCli(words, {}, folder, OFFLINE);
  await run.ended;
  if (run.stdout() === '') throw new Error(`no record: ${run.stderr()}`);
  return JSON.parse(run.stdout()) as RunRecord;
}

test('no address of the internet is reached from where the twins are loaded', async () => {
  const look = startCli(['doctor', '--json'], {}, folder, [
    ...OFFLINE.slice(0, 4),
    'ip link set lo up && ip route show | wc -l',
  ]);
  await look.ended;
  expect(look.stdout().trim()).toBe('0');
});

test.each([
  ['order', 'an order of 14 nodes with HTTP, a database, a chat, mail and a sheet'],
  ['agent', 'an agent with a memory and two tools'],
  ['tools', 'a server of tools for clients of MCP'],
])('%s, %s, succeeds offline', async (name) => {
  await make(name);
  const { summary } = await loaded(name);
  expect(summary?.executions).toMatchObject(ALL_SUCCEEDED);
  expect(summary?.errors.requests).toBe(0);
});

test('loop, 200 items with a call each, succeeds offline, with none of the recorded values', async () => {
  writeFileSync(join(folder, 'execution.json'), JSON.stringify(EXECUTION));
  await make('loop', '--from-execution', 'execution.json');
  const { summary } = await loaded('loop');
  expect(readFileSync(join(folder, 'loop.twin.rules.yaml'), 'utf8')).not.toContain('Ada');
  expect(summary?.executions).toMatchObject(ALL_SUCCEEDED);
  expect(summary?.errors.requests).toBe(0);
});

test('orders are made of rows, and n8n answers with what a row says', async () => {
  await make('order');
  const rows = Array.from({ length: 5 }, (_, at) => JSON.stringify({ id: `row-${String(at)}` }));
  writeFileSync(join(folder, 'rows.jsonl'), rows.join('\n'));
  const file = join(folder, 'order.twin.json');
  const workload = JSON.parse(readFileSync(file, 'utf8')) as object;
  const reply = { expect: ['json.orderId~row-'] };
  writeFileSync(file, JSON.stringify({ ...workload, reply }, null, 2));
  const { summary } = await loaded('order', '--body', '@rows.jsonl');
  expect(summary?.executions).toMatchObject(ALL_SUCCEEDED);
  expect(summary?.errors.requests).toBe(0);
});

const LANGCHAIN = '@n8n/n8n-nodes-langchain.';
const node = (name: string, type: string, typeVersion: number, more: object = {}): object => ({
  ...{ id: name, name, type, typeVersion, position: [0, 0], parameters: {}, ...more },
});
const to = (name: string, type: string): object => ({ [type]: [[{ node: name, type, index: 0 }]] });
const withKey = (type: string): object => ({ [type]: { id: '1', name: 'Production' } });

/** Puts a text into a store of vectors by a model of Cohere, and asks a model of Anthropic, which has that store as a tool. */
const LIBRARY = {
  ...{ id: 'library-00000000', name: 'Library', active: false },
  settings: { executionOrder: 'v1' },
  nodes: [
    node('Question', 'n8n-nodes-base.webhook', 2, {
      webhookId: 'question',
      parameters: { httpMethod: 'POST', path: 'question', responseMode: 'lastNode' },
    }),
    node('Put', `${LANGCHAIN}vectorStorePinecone`, 1, {
      ...{ parameters: { mode: 'insert', options: {} }, credentials: withKey('pineconeApi') },
    }),
    node('Vectors', `${LANGCHAIN}embeddingsCohere`, 1, { credentials: withKey('cohereApi') }),
    node('Text', `${LANGCHAIN}documentDefaultDataLoader`, 1.1),
    node('Librarian', `${LANGCHAIN}agent`, 3, {
      ...{ executeOnce: true, parameters: { promptType: 'define', text: 'Where?', options: {} } },
    }),
    node('Model', `${LANGCHAIN}lmChatAnthropic`, 1.3, {
      parameters: { model: { __rl: true, mode: 'id', value: 'claude-sonnet-4-5' }, options: {} },
      credentials: withKey('anthropicApi'),
    }),
    node('Find', `${LANGCHAIN}vectorStorePinecone`, 1, {
      parameters: {
        ...{ mode: 'retrieve-as-tool', toolName: 'find', toolDescription: 'finds texts' },
        options: {},
      },
      credentials: withKey('pineconeApi'),
    }),
  ],
  connections: {
    Question: to('Put', 'main'),
    Put: to('Librarian', 'main'),
    Text: to('Put', 'ai_document'),
    Model: to('Librarian', 'ai_languageModel'),
    Find: to('Librarian', 'ai_tool'),
    Vectors: {
      ai_embedding: [
        ['Put', 'Find'].map((name) => ({ node: name, type: 'ai_embedding', index: 0 })),
      ],
    },
  },
};

test("n8n's nodes of Anthropic, of embeddings and of vectors succeed offline", async () => {
  writeFileSync(join(folder, 'library.json'), JSON.stringify(LIBRARY));
  await make('library');
  const { summary } = await loaded('library');
  expect(summary?.executions).toMatchObject(ALL_SUCCEEDED);
  expect(summary?.errors.requests).toBe(0);
  expect(summary?.services?.map(({ host }) => host).sort()).toEqual([
    ...['api.anthropic.com', 'api.openai.com'],
  ]);
});
