import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { confirm, confirmAddress, kubernetesOptions } from '../../../cli/src/options/kubernetes';
import { chosenDeployer, isLegacyChoice } from '../../../cli/src/options/targets';
import { topologySchema } from '../../../cli/src/plan/topology';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function values(text: string): string {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, text);
  return file;
}

test.each<[Parameters<typeof kubernetesOptions>[0], RegExp]>([
  [{ existing: true }, /^--existing requires --namespace, the namespace of the release/],
  [
    { existing: true, namespace: 'load' },
    /^--existing requires --release, the name of the release: helm list --namespace load shows/,
  ],
  [{ release: '--kubeconfig=/x' }, /^--release "--kubeconfig=\/x": expected lower-case letters/],
  [{ namespace: '-x' }, /^--namespace "-x": expected lower-case letters/],
  [{ release: 'N8N' }, /^--release "N8N": expected lower-case letters/],
  [
    { values: ['no-such-file.yaml'] },
    /^the values file no-such-file.yaml cannot be read: there is no such file/,
  ],
])('%j is refused in a sentence', (flags, sentence) => {
  expect(() => kubernetesOptions(flags, [], 1000)).toThrow(sentence);
});

test('values say how n8n is laid out, in place of a topology', () => {
  const file = values('worker: { replicas: 3 }');
  expect(kubernetesOptions({ values: [file] }, [], 1000)).toMatchObject({
    how: 'deploy',
    topology: null,
    values: [{ name: file, text: 'worker: { replicas: 3 }' }],
  });
});

test('the workload is that of the n8n that values deploy', () => {
  const of = (text: string): boolean =>
    isLegacyChoice({ target: 'kubernetes', values: [values(text)] });
  expect(of('image: { tag: 0.221.2 }')).toBe(true);
  expect(of('image: { tag: 2.41.1 }')).toBe(false);
  expect(of('image: { pullPolicy: Always }')).toBe(false);
});

test('a cell that the chart cannot deploy is left out of a sweep, with the reason', () => {
  const deployer = chosenDeployer({ target: 'kubernetes' });
  expect(deployer.cannot(topologySchema.parse({}))).toBeNull();
  expect(deployer.cannot(topologySchema.parse({ tuning: 'none' }))).toMatch(
    /the chart cannot deploy/,
  );
  expect(deployer.loadsFromHere).toBe(false);
});

describe('a context that may be production', () => {
  const production = { context: 'prod-eu', server: 'https://10.1.2.3' };

  it('is refused where nobody can be asked, and taken with --yes', async () => {
    await expect(confirm(production, {})).rejects.toThrow(
      /^context prod-eu .* may be production, and there is no terminal to ask: add --yes/,
    );
    await expect(confirm(production, { yes: true })).resolves.toBeUndefined();
    await expect(
      confirm({ context: 'kind-load', server: 'https://127.0.0.1:6443' }, { protect: ['kind-*'] }),
    ).rejects.toThrow(/may be production/);
  });
});

describe('an Ingress or a Gateway', () => {
  const baseUrl = 'https://n8n.nowhere.invalid';
  const at = (address: string) => ({
    ...{ baseUrl, hosts: { 'n8n.nowhere.invalid': address } },
  });

  it('at a public address is loaded only if the user agrees', async () => {
    for (const address of ['203.0.113.5', '2001:db8::5']) {
      await expect(confirmAddress(at(address), {})).rejects.toThrow(
        `n8n.nowhere.invalid (${address}) is neither this machine nor a private address, and it would receive the load, and there is no terminal to ask: add --yes`,
      );
      await expect(confirmAddress(at(address), { yes: true })).resolves.toBeUndefined();
    }
    for (const address of ['10.0.0.9', 'fd00::9', '127.0.0.1']) {
      await expect(confirmAddress(at(address), {})).resolves.toBeUndefined();
    }
  });

  it('with a name that this machine cannot look up may be public', async () => {
    await expect(confirmAddress({ baseUrl, hosts: {} }, {})).rejects.toThrow(
      'the address of n8n.nowhere.invalid is not known, and it would receive the load, and there is no terminal to ask: add --yes',
    );
    await expect(confirmAddress({ baseUrl, hosts: {} }, { yes: true })).resolves.toBeUndefined();
  });
});
