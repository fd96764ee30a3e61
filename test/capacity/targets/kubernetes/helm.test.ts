// A helm that ends by itself or is ended, as a program: what is made of it.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '../../../../capacity/src/targets/kubernetes/api';
import { Helm } from '../../../../capacity/src/targets/kubernetes/helm';
import { Failure } from '../../../../capacity/src/ui/exit';

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

const install = (helm: Helm): Promise<void> =>
  helm.install({ chart: 'n8n-tuned', values: [], timeoutMs: 1000 }, AbortSignal.timeout(30_000));

test.each([
  [
    'kill -KILL $$',
    "helm was ended by SIGKILL in the middle of installing the release 'n8n' in the namespace load: where the machine has no memory left, free some, and run the command again.",
  ],
  ["echo 'Error: it does not like it' >&2; exit 1", 'helm failed: it does not like it'],
])('helm that ends by: %s', async (script, sentence) => {
  await expect(install(helmThat(script))).rejects.toEqual(new Failure(sentence));
});

test('any other work of it names its command', async () => {
  await expect(helmThat('kill -TERM $$').uninstall()).rejects.toThrow(
    "helm was ended by SIGTERM in the middle of 'helm uninstall' of the release 'n8n' in the namespace load",
  );
});
