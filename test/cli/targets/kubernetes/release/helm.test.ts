// A helm that ends by itself or is ended, as a program: what is made of it.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { Cluster } from '../../../../../cli/src/targets/kubernetes/api/api';
import { kubernetesTarget } from '../../../../../cli/src/targets/kubernetes/kubernetes-target';
import type { KubernetesOptions } from '../../../../../cli/src/targets/kubernetes/release/options';
import { Helm, type Rendered } from '../../../../../cli/src/targets/kubernetes/release/helm';
import { Failure } from '../../../../../cli/src/ui/exit';
import { pause } from '../../../../support/wait';

const folder = mkdtempSync(join(tmpdir(), 'helm-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function helmThat(script: string): Helm {
  const program = join(folder, 'helm');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  const cluster = { kubeconfig: null } as Cluster;
  return new Helm(program, { cluster, namespace: 'load', release: 'n8n' });
}

const ORDER = { chart: 'n8n-tuned', values: [], timeoutMs: 1000, labels: {} };

const install = (helm: Helm): Promise<void> => helm.install(ORDER, AbortSignal.timeout(30_000));

test.each([
  [
    'kill -KILL $$',
    "helm was killed by SIGKILL while installing the release 'n8n' in the namespace load: if the machine is out of memory, free some, and run the command again.",
  ],
  ["echo 'Error: it does not like it' >&2; exit 1", 'helm failed: it does not like it'],
])('one sentence says why helm ended: %s', async (script, sentence) => {
  await expect(install(helmThat(script))).rejects.toEqual(new Failure(sentence));
});

test('any other work of it names its command', async () => {
  await expect(helmThat('kill -TERM $$').status()).rejects.toThrow(
    "helm was killed by SIGTERM while 'helm status' of the release 'n8n' in the namespace load",
  );
});

test('no name and no file of a chart is taken for an option', async () => {
  const said = join(folder, 'said');
  const helm = helmThat(`for word; do echo "$word" >> ${said}; done`);
  await helm.install(
    { ...ORDER, chart: '--post-renderer=x', repository: '-r', version: '--set=a' },
    AbortSignal.timeout(30_000),
  );
  const words = readFileSync(said, 'utf8').trim().split('\n');
  expect(words.slice(words.indexOf('--'))).toEqual(['--', 'n8n', '--post-renderer=x']);
  expect(words).toEqual(expect.arrayContaining(['--repo=-r', '--version=--set=a']));
});

test('what it would install is read with its hooks, whether it has some or not', async () => {
  const plan = (hooks: unknown): Promise<Rendered> =>
    helmThat(`echo '${JSON.stringify({ manifest: 'kind: Pod', hooks })}'`).plan(
      ORDER,
      AbortSignal.timeout(30_000),
    );
  expect(await plan([{ name: 'x', manifest: 'kind: Job' }])).toEqual({
    manifest: 'kind: Pod',
    hooks: ['kind: Job'],
  });
  for (const none of [undefined, null, []]) {
    expect(await plan(none)).toEqual({ manifest: 'kind: Pod', hooks: [] });
  }
});

test('it does not outlive the command, however that ends', async () => {
  const pidFile = join(folder, 'pid');
  const outfile = join(folder, 'asking.cjs');
  buildSync({
    stdin: {
      contents: `
        import { Helm, type Rendered } from './cli/src/targets/kubernetes/release/helm';
        const place = { cluster: { kubeconfig: null }, namespace: 'load', release: 'n8n' };
        void new Helm(process.argv[2], place).status();`,
      ...{ resolveDir: join(__dirname, '../../../../..'), loader: 'ts' },
    },
    ...{ outfile, bundle: true, platform: 'node', external: ['@kubernetes/client-node'] },
  });
  const program = join(folder, 'lasting');
  writeFileSync(
    program,
    `#!/bin/sh\necho $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600\n`,
  );
  chmodSync(program, 0o755);
  const command = spawn(process.execPath, [outfile, program], { stdio: 'ignore' });
  const pid = await until(() => Number(readFileSync(pidFile, 'utf8')));
  command.kill('SIGKILL');
  await until(() => {
    if (isThere(pid)) throw new Error(`helm (${String(pid)}) is still there`);
    return true;
  });
});

async function until<T>(attempt: () => T): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return attempt();
    } catch (error) {
      if (tries === 600) throw error;
      await pause(50, 'the file is not there yet');
    }
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('what could not be removed after a failed deployment is a warning, beside why it failed', async () => {
  helmThat('exit 0');
  const [path, warned] = [process.env['PATH'], [] as string[]];
  process.env['PATH'] = `${folder}:${path ?? ''}`;
  const forbidden = (): Promise<never> =>
    Promise.reject(
      Object.assign(new Error('no'), { code: 403, body: '{"message":"it is forbidden"}' }),
    );
  const cluster = {
    ...{ context: 'kind-load', kubeconfig: null },
    version: () => Promise.resolve('v1.34.0'),
    doing: (_: string, work: () => unknown) => work(),
    explained: (_: string, error: unknown) => error,
    core: {
      listNamespace: () => Promise.resolve({ items: [] }),
      listConfigMapForAllNamespaces: () => Promise.resolve({ items: [] }),
      createNamespace: () => Promise.resolve({ metadata: { uid: '1' } }),
      readNamespace: forbidden,
    },
  };
  jest.spyOn(Cluster, 'of').mockResolvedValue(cluster as unknown as Cluster);
  const options = {
    ...{ kubeconfig: null, context: null, namespace: null, release: 'n8n', how: 'deploy' },
    ...{ topology: null, chart: null, workflows: [], via: 'service', viaAddress: null },
    values: [{ name: 'broken.yaml', text: '{' }],
    confirm: () => Promise.resolve(),
    warn: (text: string) => warned.push(text),
  } as unknown as KubernetesOptions;
  try {
    await expect(
      kubernetesTarget(options).up(() => undefined, new AbortController().signal),
    ).rejects.toThrow(/broken\.yaml/);
  } finally {
    process.env['PATH'] = path;
    jest.restoreAllMocks();
  }
  expect(warned).toEqual([
    expect.stringMatching(
      /^the namespace n8n-tuned-[0-9a-f]{8} could not be removed: no n8n-tuned clean --target kubernetes --context kind-load removes it\.$/,
    ),
  ]);
});
