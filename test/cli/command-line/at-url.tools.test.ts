import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labPaths } from '../../../cli/src/lab/paths';
import { EXIT } from '../../../cli/src/ui/exit';
import { buildCli, endStartedClis, runCli, startCli } from '../../support/cli';
import { startDummyN8n, type DummyN8n } from '../../support/dummy-n8n';
import { unlessInvalid, until } from '../../support/wait';

/** The command on an n8n that is somebody's: what it loads, when it stops, and what it leaves. */

jest.setTimeout(120_000);

const KEY = 'a-key';
/** It is in every list of the dummy n8n, and must be there, as it was, after everything. */
const theirs = {
  ...{ kind: 'workflow' as const, id: 'theirs', name: 'Order', active: true, body: null },
  nodes: [{ type: 'n8n-nodes-base.webhook', parameters: { path: 'order', httpMethod: 'POST' } }],
};

let n8n: DummyN8n;
let folder: string;
let env: Record<string, string>;
let order: string;

beforeAll(buildCli);
beforeEach(async () => {
  n8n = await startDummyN8n();
  n8n.things.push(structuredClone(theirs));
  folder = mkdtempSync(join(tmpdir(), 'at-url-'));
  // What is written down goes elsewhere; the tools are those of the lab.
  env = {
    ...{ N8N_API_KEY: KEY, N8N_TUNED_CACHE: join(folder, 'cache') },
    PATH: `${labPaths().bin}:${process.env['PATH'] ?? ''}`,
  };
  order = join(folder, 'order.json');
  const nodes = [
    {
      ...{ name: 'Webhook', type: 'n8n-nodes-base.webhook', webhookId: 'an-id' },
      parameters: { path: 'order', httpMethod: 'POST' },
    },
    { name: 'Every minute', type: 'n8n-nodes-base.scheduleTrigger', parameters: {} },
  ];
  writeFileSync(order, JSON.stringify({ name: 'Order', nodes, connections: {} }));
});
afterEach(async () => {
  endStartedClis();
  await n8n.close();
  rmSync(folder, { recursive: true, force: true });
});

const load = (...more: string[]): string[] => [
  ...['run', '--url', n8n.url, '--workflow', order, '--rate', '20', '--warmup', '0s'],
  ...['--duration', '60s', '--out', join(folder, 'results'), ...more],
];
const loaded = (...more: string[]): ReturnType<typeof runCli> =>
  unlessInvalid(
    () => {
      n8n.loaded.splice(0);
      return runCli(load(...more), env);
    },
    ({ code }) => code === EXIT.invalid,
  );
const written = (): string[] => {
  try {
    return readdirSync(join(folder, 'cache', 'at-url'));
  } catch {
    return [];
  }
};
const isLoaded = (): boolean => n8n.loaded.length > 40;

test('without --request the webhook of the file is loaded, under a path of its own, and not theirs', async () => {
  const { code, stderr } = await loaded('--duration', '3s');
  expect([code, stderr]).toEqual([0, expect.anything()]);
  expect(stderr).toContain(`switched off in the copy of ${order}: Every minute.`);
  const asked = new Set(n8n.loaded.map(({ method, path }) => `${method} ${path}`));
  expect([...asked]).toEqual([expect.stringMatching(/^POST \/webhook\/order\/[0-9a-f]{8}$/)]);
  expect(n8n.loaded.every(({ headers }) => headers['x-n8n-tuned-key'] !== undefined)).toBe(true);
  expect(n8n.things).toEqual([theirs]);
  expect(written()).toEqual([]);
});

/** The time that it takes without --stop-if. */
const DEFAULT_SECONDS = 10;
const SOONER_SECONDS = 3;
const soon = (): string[] => [
  ...['--stop-if', `${n8n.url}/healthz fails for ${String(SOONER_SECONDS)}s`],
];

test.each([
  ['run', DEFAULT_SECONDS, () => load()],
  [
    'find',
    SOONER_SECONDS,
    () => [
      ...['find', '--url', n8n.url, '--anyway', '--workflow', order, '--budget', '10m'],
      ...['--out', join(folder, 'results'), ...soon()],
    ],
  ],
  [
    'compare',
    SOONER_SECONDS,
    () => [
      ...['compare', n8n.url, n8n.url, '--anyway', '--workflow', order],
      ...['--vus', '1', '--duration', '20s'],
      ...['--out', join(folder, 'results'), ...soon()],
    ],
  ],
])(
  '%s ends within 2 s when the health check has failed for %i s, and all is removed',
  async (_, seconds, args) => {
    const run = startCli(args(), env);
    await until('the load', () => {
      if (run.child.exitCode !== null) throw new Error(run.stderr());
      return isLoaded();
    });
    n8n.isHealthy = false;
    await until('that it stops', () => run.stderr().includes('stopping cleanly: '));
    const stoppedMs = performance.now();
    let lastMs = stoppedMs;
    let count = n8n.loaded.length;
    const watching = setInterval(() => {
      if (n8n.loaded.length > count) lastMs = performance.now();
      count = n8n.loaded.length;
    }, 20);
    const { code } = await run.ended;
    clearInterval(watching);
    expect(code).toBe(3);
    // The time is what is required; beside other tests a signal takes its time.
    expect(lastMs - stoppedMs).toBeLessThan(2_000);
    const said = `stopped by --stop-if: ${n8n.url}/healthz fails for ${String(seconds)}s (status 503, for `;
    const results = join(folder, 'results');
    const records = readdirSync(results, { recursive: true, encoding: 'utf8' })
      .filter((file) => /(run|find|compare)\.json$/.test(file))
      .map((file) => readFileSync(join(results, file), 'utf8'));
    expect(records.map((text) => /stopped by[^"]*/.exec(text)?.[0] ?? text)).toContainEqual(
      expect.stringContaining(said),
    );
    expect(run.stdout()).not.toMatch(/^SUSTAINED|^FOUND/m);
    expect(n8n.things).toEqual([theirs]);
    expect(written()).toEqual([]);
  },
);

test('a health check that fails already is said, and stops nothing; one of the user refuses the load', async () => {
  n8n.isHealthy = false;
  const run = await loaded('--duration', '3s');
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('/healthz fails already')]);
  const refused = await runCli(load('--stop-if', `${n8n.url}/healthz fails`), env);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('would end the load before it begins: status 503');
  expect(n8n.things).toEqual([theirs]);
});

test('killed in the middle: clean --url finds it by what was written down, and removes it alone', async () => {
  const run = startCli(load(), env);
  await until('the load', isLoaded);
  const early = await runCli(['clean', '--url', n8n.url], env);
  expect(early.stdout).toContain(
    'not removed, because the command that created it is still running',
  );
  run.child.kill('SIGKILL');
  await run.ended;
  expect(n8n.things).toHaveLength(3);
  n8n.trouble = (asked) => (asked.startsWith('DELETE') ? { status: 403 } : null);
  const failed = await runCli(['clean', '--url', n8n.url], env);
  expect(failed.code).toBe(3);
  expect(failed.stderr).toContain(`n8n-tuned clean --url ${n8n.url}`);
  expect(written()).toHaveLength(1);
  n8n.trouble = () => null;
  const cleaned = await runCli(['clean', '--url', n8n.url], env);
  expect([cleaned.code, cleaned.stderr]).toEqual([0, '']);
  expect(cleaned.stdout.match(/^removed /gm)).toHaveLength(2);
  expect(n8n.things).toEqual([theirs]);
  expect(written()).toEqual([]);
  expect((await runCli(['clean', '--url', n8n.url], env)).stdout).toContain('nothing was left');
});

test('what another machine left is removed only with --elsewhere', async () => {
  const run = startCli(load(), env);
  await until('the load', isLoaded);
  run.child.kill('SIGKILL');
  await run.ended;
  const there = { ...env, N8N_TUNED_CACHE: join(folder, 'another') };
  const seen = await runCli(['clean', '--url', n8n.url], there);
  expect(seen.stdout.match(/--elsewhere removes it/g)).toHaveLength(2);
  expect(n8n.things).toHaveLength(3);
  await runCli(['clean', '--url', n8n.url, '--elsewhere'], there);
  expect(n8n.things).toEqual([theirs]);
});

test('why a command failed is told, beside what it could not remove', async () => {
  n8n.trouble = (asked) =>
    asked.endsWith('/activate') || asked.startsWith('DELETE') ? { status: 403 } : null;
  const { code, stderr } = await runCli(load(), env);
  expect(code).toBe(2);
  expect(stderr).toMatch(/activate with status 403/);
  expect(stderr).toMatch(
    /the following could not be removed from n8n at .*the workflow 'Order \(n8n-tuned /,
  );
});

test.each([
  ['run', ['run', '--rate', '50', '--duration', '60s'], '50 requests per second'],
  ['find', ['find', '--budget', '10m'], 'a load that is raised until something breaks'],
  ['compare', ['compare', 'http://192.0.2.7:5678', '--vus', '2'], 'requests from 2 clients'],
])('%s asks before it loads a host that is neither here nor private', async (name, args, says) => {
  const url = 'http://192.0.2.7:5678';
  const at = name === 'compare' ? [url] : ['--url', url];
  const { code, stderr } = await runCli([...args, ...at, '--workload', 'last-node'], env);
  expect(code).toBe(2);
  expect(stderr).toContain('192.0.2.7:5678 is neither this machine nor a private address');
  expect(stderr).toContain(says);
  expect(stderr).toContain(
    'there is no terminal to ask: add --yes if you are allowed to load-test it',
  );
});
