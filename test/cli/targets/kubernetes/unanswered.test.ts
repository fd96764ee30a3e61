/** What is asked of a cluster ends, also where nothing ever answers: a worker cut off from Redis keeps its metrics waiting. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';

const METRICS = '/api/v1/namespaces/n/pods/answers:5678/proxy/metrics';
const BEGUN = '/api/v1/namespaces/n/pods/stops-halfway:5678/proxy/metrics';
const text = '# TYPE n8n_process_cpu_seconds_total counter\n';

const root = join(__dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'unanswered-'));
const kubeconfig = join(folder, 'kubeconfig');

const server = createServer(({ url = '' }, reply) => {
  const path = decodeURIComponent(url);
  reply.setHeader('content-type', 'text/plain');
  if (path === METRICS) reply.end(text);
  if (path === BEGUN) reply.write(text);
});

beforeAll(async () => {
  // The client is an ES module, which Jest does not load.
  buildSync({
    ...{
      stdin: { contents: ASKING, resolveDir: root, loader: 'ts' },
      outfile: join(folder, 'asking.mjs'),
    },
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20' },
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const named = (kind: string, value: object): object[] => [{ name: 'one', [kind]: value }];
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'one' },
      clusters: named('cluster', {
        server: `http://127.0.0.1:${String(port)}`,
        'insecure-skip-tls-verify': true,
      }),
      contexts: named('context', { cluster: 'one', user: 'one' }),
      users: named('user', {}),
    }),
  );
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** Asks one thing, and says what came of it. */
const ASKING = `
import { Cluster } from './cli/src/targets/kubernetes/api/api';
const [, , kubeconfig, what, ...asked] = process.argv;
// What answers has all the time that it needs on a busy machine.
const limits = asked[0] === 'answers' ? { serverMs: 60_000, podMs: 60_000 } : { serverMs: 400, podMs: 200 };
const cluster = await Cluster.of(kubeconfig, null, limits);
const ways = {
  version: () => cluster.version(),
  objects: () => cluster.doing('reading pods', () => cluster.objects.list('v1', 'Pod')),
  metrics: ([pod]) => cluster.askPod('n', pod, 5678, 'metrics'),
};
process.stdout.write(await ways[what](asked).catch(({ message }) => message));
`;

const asking = async (...what: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [join(folder, 'asking.mjs'), kubeconfig, ...what]))
    .stdout;

describe('an API server that accepts a request and never answers', () => {
  it.each(['version', 'objects'])('is told as such when asked for its %s', async (what) => {
    expect(await asking(what)).toMatch(
      /^no cluster responds at http:\/\/127\.0\.0\.1:\d+ \(context one\): there was no response in time/,
    );
  });
});

describe('the metrics of a pod', () => {
  it('are its text', async () => {
    expect(await asking('metrics', 'answers')).toBe(text);
  });

  it.each(['never-answers', 'stops-halfway'])('are not waited for where it %s', async (pod) => {
    expect(await asking('metrics', pod)).toBe('no answer within 0.2 s');
  });
});
