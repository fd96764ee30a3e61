// A pass of recovery in the container of main: the chart's own script, run by a command; the container is this machine.
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  ExecEnd,
  ExecOptions,
  Place,
} from '../../../../../cli/src/targets/kubernetes/api/api';
import type { V1Pod } from '../../../../../cli/src/targets/kubernetes/api/api-types';
import { recoveryReach } from '../../../../../cli/src/targets/kubernetes/drill/recovery';

const VARIABLES = {
  ...{ RECOVERY_RETRY: 'true', RECOVERY_TAG: 'recover', RECOVERY_ATTEMPTS: '3' },
  ...{ RECOVERY_AT_ONCE: '2', RECOVERY_STOP_AFTER: '3', RECOVERY_AGE_SECONDS: '60' },
  ...{ RECOVERY_BACK_OFF_SECONDS: '10', RECOVERY_SINCE_HOURS: '24' },
  RECOVERY_PATIENCE_SECONDS: '120',
};
const NEVER = new AbortController().signal;

const main: V1Pod = {
  metadata: { name: 'main-1', labels: { 'app.kubernetes.io/component': 'main' } },
  spec: { containers: [{ name: 'n8n' }] },
  status: {
    containerStatuses: [
      {
        ...{ name: 'n8n', image: '', imageID: '', ready: true, restartCount: 0 },
        state: { running: {} },
      },
    ],
  },
};

/** An n8n with no owner and no workflow, which has no route for its owner at the first request. */
let n8n: Server;
const asked: string[] = [];
let isSetUp = false;
beforeAll(async () => {
  n8n = createServer((request, response) => {
    const key = String(request.headers['x-n8n-api-key'] ?? 'no key');
    asked.push(`${String(request.method)} ${String(request.url)} with ${key}`);
    if (asked.length === 1) response.statusCode = 404;
    else if (request.url === '/rest/owner/setup') {
      response.statusCode = isSetUp ? 400 : 200;
      isSetUp = true;
    }
    const isKey = request.url === '/rest/api-keys';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: isKey ? { rawApiKey: 'the key' } : [], nextCursor: null }));
  });
  await new Promise<void>((resolve) => n8n.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  n8n.closeAllConnections();
  n8n.close();
});

const exec = (
  _place: Place,
  command: readonly string[],
  { onOutput, input = '' }: ExecOptions,
): Promise<ExecEnd> =>
  new Promise((resolve) => {
    const [program = '', ...args] = command;
    const { port } = n8n.address() as AddressInfo;
    const child = spawn(program, args, {
      env: { PATH: process.env['PATH'], N8N_PORT: String(port), EXECUTIONS_MODE: 'regular' },
    });
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => void onOutput(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    // It is not closed, as in a cluster.
    child.stdin.write(input);
    child.once('close', (code) => {
      resolve({ code, stderr });
    });
  });

/** A worker that runs, or has ended. */
const worker = (podIP: string, isRunning = true): V1Pod => ({
  ...main,
  metadata: { name: `worker-${podIP}`, labels: { 'app.kubernetes.io/component': 'worker' } },
  status: { podIP, ...(isRunning ? main.status : {}) },
});

const reach = (pods: V1Pod[]): ReturnType<typeof recoveryReach> =>
  recoveryReach({ cluster: { exec }, namespace: 'n', pods: () => pods }, ['workflow:list']);

test('recovery in a cluster asks n8n with the key of an owner of its own, and gives its report', async () => {
  const { pass } = await reach([main]);
  expect(await pass(VARIABLES, NEVER)).toEqual({
    due: [],
    attempts: [],
    left: [],
    waiting: [],
    refused: [],
    stopped: null,
    keptStalled: null,
  });
  expect(asked.slice(0, 2)).toEqual(Array(2).fill('POST /rest/owner/setup with no key'));
  expect(asked.at(-1)).toMatch(/^GET \/api\/v1\/workflows\?.*tags=recover.* with the key$/);
});

test('recovery in a cluster asks each worker that runs now whether it tells what it runs', async () => {
  const pods = [main, worker('127.0.0.7'), worker('::1'), worker('127.0.0.9', false)];
  let given = '';
  const cluster = {
    exec: (place: Place, command: readonly string[], options: ExecOptions): Promise<ExecEnd> => {
      given = options.input ?? '';
      return exec(place, command, options);
    },
  };
  const { pass } = await recoveryReach({ cluster, namespace: 'n', pods: () => pods }, []);
  const asks = (): string | undefined =>
    (JSON.parse(given) as { env: Record<string, string> }).env['RECOVERY_WORKER_METRICS'];
  await pass(VARIABLES, NEVER);
  expect(asks()).toBe('http://127.0.0.7:5678/metrics,http://[::1]:5678/metrics');
  pods.splice(1);
  await pass(VARIABLES, NEVER);
  expect(asks()).toBe('');
});

test('a second key of the same command is one of the owner that it made', async () => {
  asked.length = 0;
  isSetUp = true;
  await reach([main]);
  expect(asked.slice(-3)).toEqual(
    ['/rest/owner/setup', '/rest/login', '/rest/api-keys'].map(
      (path) => `POST ${path} with no key`,
    ),
  );
});

test('recovery in a cluster says what the script said where there is no report, and that no main runs', async () => {
  const pods = [main];
  const { pass } = await reach(pods);
  await expect(pass({ RECOVERY_RETRY: 'true' }, NEVER)).rejects.toThrow(/RECOVERY_\w+ is not set/);
  pods.length = 0;
  await expect(pass(VARIABLES, NEVER)).rejects.toThrow('no main runs');
});
