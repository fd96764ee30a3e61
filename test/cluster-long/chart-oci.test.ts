// The chart as users get it: pushed signed to a registry, and installed from there by its name.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { openPgpKey } from '../chart/support/openpgp-key';
import { inCluster } from '../support/cluster';
import { startRegistryInCluster, type RegistryInCluster } from '../support/registry-in-cluster';
import { CHART, merged, Release, SMALL_EVERYWHERE, WITH_TARGETS } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_500_000);

const PATIENCE_MS = 660_000;
const SIGNER = 'chart-test';
const { version } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { version: string };

const folder = mkdtempSync(join(tmpdir(), 'chart-oci-'));
const keyOf = (name: string, content: Buffer): string => {
  writeFileSync(join(folder, name), content, { mode: 0o600 });
  return join(folder, name);
};
const own = openPgpKey(SIGNER);
const keys = {
  secret: keyOf('secret.gpg', own.secret),
  public: keyOf('public.gpg', own.public),
  other: keyOf('other.gpg', openPgpKey('somebody-else').public),
};
let registry: RegistryInCluster;

beforeAll(async () => {
  registry = await startRegistryInCluster(folder);
});
afterAll(async () => {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([3, 4] as const)('Helm %s', (line) => {
  /** What it pulls is kept by the test alone. */
  const env = ['cache', 'config', 'data'].map(
    (kind) => `HELM_${kind.toUpperCase()}_HOME=${join(folder, `helm${String(line)}-${kind}`)}`,
  );
  const ask = async (words: string[], input?: string): Promise<{ code: number; said: string }> => {
    const { code, stdout, stderr } = await inCluster(['env', ...env, ...words], {
      timeoutMs: PATIENCE_MS,
      ...(input === undefined ? {} : { input }),
    });
    return { code, said: `${stdout}${stderr}` };
  };
  let n8n: Release;

  beforeAll(async () => {
    n8n = await Release.inNewNamespace('chart-oci');
  });
  afterAll(() => n8n.remove());

  test('installs what was pushed and signed, by no other key, and n8n responds', async () => {
    const place = `oci://${registry.host}/charts-${String(line)}`;
    const pushed = await ask([
      ...[`HELM=helm${String(line)}`, `SIGNING_KEY=${SIGNER}`, `SIGNING_KEYRING=${keys.secret}`],
      ...[join(CHART, '..', 'publish.sh'), place, '--plain-http'],
    ]);
    expect(pushed).toMatchObject({ code: 0 });

    const install = (
      name: string,
      chart: string,
      keyring: string,
      values: object,
    ): ReturnType<typeof ask> =>
      ask(
        [
          ...[`helm${String(line)}`, 'install', name, `${place}/${chart}`],
          ...['--version', version, '--plain-http', '--verify', '--keyring', keyring],
          ...['-n', n8n.space.name, '--values', '-', '--wait', '--timeout', '10m'],
        ],
        JSON.stringify(values),
      );
    const refused = await install('load', 'n8n-load', keys.other, {});
    expect(refused.code).not.toBe(0);
    expect(refused.said).toMatch(/openpgp|signature/i);

    expect(await install('load', 'n8n-load', keys.public, {})).toMatchObject({ code: 0 });
    expect(
      await install(n8n.name, 'n8n-tuned', keys.public, merged(SMALL_EVERYWHERE, WITH_TARGETS)),
    ).toMatchObject({ code: 0 });
    const listed = JSON.parse(
      (await ask([`helm${String(line)}`, 'list', '-n', n8n.space.name, '-o', 'json'])).said,
    ) as { chart: string; status: string }[];
    expect(listed.map(({ chart, status }) => [chart, status])).toEqual([
      [`n8n-load-${version}`, 'deployed'],
      [`n8n-tuned-${version}`, 'deployed'],
    ]);
    const { status } = await n8n.expectedResponse(
      `${await n8n.serviceUrl()}/webhook/load-last-node`,
    );
    seen(`oci, Helm ${String(line)}`, { verified: true, otherKeyRefused: true, status });
    expect(status).toBe(200);
  });
});
