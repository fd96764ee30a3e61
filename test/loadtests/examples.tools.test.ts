/** The files of loadtests/examples as a user runs them: on a known server with faults, and with LONG=1 on a real n8n. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newOwnersKey } from '../../cli/src/targets/url/owner';
import { runPlainK6 } from '../support/k6';
import { startKnownServer } from '../support/known-server';
import { setUpOwner } from '../nodes/support/n8n';
import { startN8n, type RunningN8n } from '../workflows/support/n8n';
import { N8N_VERSION } from '../support/versions';
import { isLong } from '../support/properties';
import { eventually } from '../support/wait';

jest.setTimeout(120_000);

const node = (name: string, type: string, typeVersion: number, parameters: object) => ({
  ...{ id: name, name, type, typeVersion, parameters, webhookId: name, position: [0, 0] },
});
const then = (next: string) => ({ main: [[{ node: next, type: 'main', index: 0 }]] });

/** What start-and-poll.ts says that it needs. */
const WORK = {
  ...{ id: 'work', name: 'work', active: false, settings: {} },
  nodes: [
    node('Webhook', 'n8n-nodes-base.webhook', 2, {
      ...{ path: 'work', httpMethod: 'POST', responseMode: 'responseNode' },
    }),
    node('Respond', 'n8n-nodes-base.respondToWebhook', 1.1, {
      ...{ respondWith: 'json', responseBody: '={{ { id: $execution.id } }}' },
    }),
    node('Work', 'n8n-nodes-base.wait', 1.1, { amount: 1, unit: 'seconds' }),
  ],
  connections: { Webhook: then('Respond'), Respond: then('Work') },
};

const TOOLS = {
  ...{ id: 'tools', name: 'tools', active: false, settings: {} },
  nodes: [
    node('MCP', '@n8n/n8n-nodes-langchain.mcpTrigger', 2, { path: 'tools' }),
    node('Calculator', '@n8n/n8n-nodes-langchain.toolCalculator', 1, {}),
  ],
  connections: { Calculator: { ai_tool: [[{ node: 'MCP', type: 'ai_tool', index: 0 }]] } },
};

let n8n: RunningN8n;
let apiKey: string;

const run = (example: string, env: Record<string, string | number>) =>
  runPlainK6(`examples/${example}`, env);

const onN8n = (env: Record<string, string | number>) => ({ BASE_URL: n8n.baseUrl, ...env });

/** Executions of workflows with this name, so far. */
const executionsOf = (name: string): number => {
  const [row] = n8n.query(
    `SELECT count(*) AS count FROM execution_entity e JOIN workflow_entity w ON w.id = e."workflowId" WHERE w.name LIKE '${name}'`,
  );
  return Number(row?.['count']);
};

/** k6's own figures at its end: what a line of them says. */
const figure = (output: string, name: string): string =>
  new RegExp(`^\\s*${name}\\.*:\\s*(.*)$`, 'm').exec(output)?.[1] ?? '';

const LONG_ENOUGH = 60_000;

test('constant-rate.ts fails where responses do', async () => {
  const server = await startKnownServer({ errorEvery: 4 });
  try {
    const env = { BASE_URL: server.url, RATE: 20, DURATION: '1s', P95_MS: LONG_ENOUGH };
    const { exitCode, output } = await run('constant-rate', env);
    expect(exitCode).toBe(99);
    expect(output).toContain("thresholds on metrics 'checks, http_req_failed' have been crossed");
  } finally {
    await server.close();
  }
});

test('breakpoint.ts stops where it does', async () => {
  const server = await startKnownServer({ errorEvery: 4 });
  try {
    const env = { BASE_URL: server.url, RATE: 20, DURATION: '10m', P95_MS: LONG_ENOUGH };
    const { exitCode, output } = await run('breakpoint', env);
    expect(exitCode).toBe(99);
    expect(output).toContain("thresholds on metrics 'http_req_failed' were crossed");
  } finally {
    await server.close();
  }
});

if (isLong) {
  describe('on a real n8n', () => {
    beforeAll(async () => {
      n8n = await startN8n({
        version: N8N_VERSION,
        files: ['last-node.json', 'wait-5s.json'],
        made: [WORK, TOOLS],
      });
      const owner = { email: 'owner@example.com', password: 'Load-test-1' };
      await setUpOwner(n8n.baseUrl, owner);
      // It has routes before its workflows are active.
      await eventually(async () => (await fetch(`${n8n.baseUrl}/webhook/load-last-node`)).ok);
      apiKey = await newOwnersKey(n8n.baseUrl, owner, ['execution:read', 'execution:list']);
    }, 300_000);

    afterAll(() => n8n?.stop());

    it('constant-rate.ts sends what is due and passes', async () => {
      const env = { RATE: 5, DURATION: '3s', P95_MS: LONG_ENOUGH };
      const { exitCode, output } = await run('constant-rate', onN8n(env));
      expect(figure(output, 'checks_succeeded')).toMatch(/^100\.00%/);
      // k6 counts the request at the end of the time in or out.
      expect(Number(figure(output, 'http_reqs').split(' ')[0])).toBeGreaterThanOrEqual(15);
      expect(exitCode).toBe(0);
    });

    it('breakpoint.ts goes on to its end where nothing breaks', async () => {
      const env = { RATE: 6, DURATION: '4s', P95_MS: LONG_ENOUGH };
      const { exitCode, output } = await run('breakpoint', onN8n(env));
      expect(Number(figure(output, 'http_reqs').split(' ')[0])).toBeGreaterThanOrEqual(12);
      expect(exitCode).toBe(0);
    });

    it('two-workflows.ts loads both, and judges each by its own thresholds', async () => {
      const sizes = { QUICK_RATE: 5, SLOW_RATE: 1, DURATION: '3s' };
      const bounds = { QUICK_P95_MS: LONG_ENOUGH, SLOW_P95_MS: LONG_ENOUGH };
      const well = await run('two-workflows', onN8n({ ...sizes, ...bounds }));
      expect(figure(well.output, 'checks_succeeded')).toMatch(/^100\.00%/);
      expect(well.exitCode).toBe(0);
      const missed = await run('two-workflows', onN8n({ ...sizes, ...bounds, SLOW_P95_MS: 4000 }));
      expect(missed.exitCode).toBe(99);
      expect(missed.output).toContain("'http_req_duration{workflow:slow}' have been crossed");
    });

    it('start-and-poll.ts sees each execution to its end', async () => {
      const env = { API_KEY: apiKey, RATE: 2, DURATION: '3s', P95_MS: LONG_ENOUGH };
      const { exitCode, output } = await run('start-and-poll', onN8n(env));
      expect(figure(output, 'checks_succeeded')).toMatch(/^100\.00%/);
      expect(exitCode).toBe(0);
      const [row] = n8n.query(
        'SELECT count(*) AS count, min(status) AS least, max(status) AS most FROM execution_entity WHERE "workflowId" = \'work\'',
      );
      expect(row).toMatchObject({ min: 'success', max: 'success' });
      expect(Number(row?.['count'])).toBeGreaterThanOrEqual(6);
      // The work waits for 1 s: nobody was told before.
      expect(figure(output, 'work_duration')).toMatch(/min=\d+(\.\d+)?s/);
    });

    it('start-and-poll.ts fails with a key that n8n does not know', async () => {
      const { exitCode } = await run(
        'start-and-poll',
        onN8n({ API_KEY: 'no', RATE: 2, DURATION: '1s' }),
      );
      expect(exitCode).toBe(99);
    });

    it('mcp-session.ts calls the tool of a real MCP Server Trigger', async () => {
      const before = executionsOf('tools');
      const env = { CLIENTS: 2, CALLS: 3, DURATION: '2s', P95_MS: LONG_ENOUGH };
      const { exitCode, output } = await run('mcp-session', onN8n(env));
      expect(figure(output, 'checks_succeeded')).toMatch(/^100\.00%/);
      expect(exitCode).toBe(0);
      // n8n stores an execution after its response.
      await eventually(() => executionsOf('tools') - before >= 6, 20_000);
    });

    it('mcp-session.ts fails with a tool that is not there', async () => {
      const { exitCode, output } = await run(
        'mcp-session',
        onN8n({ TOOL: 'nothing', DURATION: '1s' }),
      );
      expect(exitCode).toBe(99);
      expect(output).toContain('checks');
    });
  });
}

test('each example is one file that imports nothing but k6, and is run here', () => {
  const folder = join(__dirname, '../../loadtests/examples');
  const files = readdirSync(folder);
  expect(files).toHaveLength(5);
  const tests = readFileSync(__filename, 'utf8');
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    const imported = [...text.matchAll(/ from '([^']+)'/g)].map(([, name]) => name);
    expect(imported.filter((name) => !/^k6(\/|$)/.test(name ?? ''))).toEqual([]);
    expect(tests).toContain(`run('${file.replace('.ts', '')}'`);
  }
});
