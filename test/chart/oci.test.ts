// The chart as users get it: pushed to a registry, signed, pulled, verified, read and rendered from there.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { startOciRegistry, type OciRegistry } from '../support/oci-registry';
import { openPgpKey } from './support/openpgp-key.ts';
import { attempt, chart, KUBERNETES, paths, render } from './support/helm.ts';

jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'chart-oci-'));
const publish = join(chart, '../publish.sh');
const { version, icon } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as {
  version: string;
  icon: string;
};
const SIGNER = 'chart-test';
/** Helm 4 keeps what it pulled by the digest of the chart, with the provenance file of that time. */
const env = ['cache', 'config', 'data'].map(
  (kind) => `HELM_${kind.toUpperCase()}_HOME=${join(folder, `helm-${kind}`)}`,
);
let registry: OciRegistry;
let keys: { secret: string; public: string; other: string };

/** Two keys: one that signs, and one of somebody else. */
function makeKeys(): typeof keys {
  const file = (name: string, content: Buffer): string => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const own = openPgpKey(SIGNER);
  return {
    secret: file('secret.gpg', own.secret),
    public: file('public.gpg', own.public),
    other: file('other.gpg', openPgpKey('somebody-else').public),
  };
}

beforeAll(async () => {
  registry = await startOciRegistry();
  keys = makeKeys();
});

afterAll(async () => {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['3', paths.helm3],
  ['4', paths.helm4],
])('with Helm %s', (line, helm) => {
  const place = (): string => `oci://${registry.host}/charts-${line}`;
  const source = (): string => `${place()}/n8n-tuned`;
  const reference = `charts-${line}/n8n-tuned:${version}`;
  const remote = ['--version', version, '--plain-http'];
  const ask = (...args: string[]): ReturnType<typeof attempt> =>
    attempt('env', [...env, helm, ...args]);

  beforeAll(async () => {
    const pushed = await attempt('env', [
      ...env,
      ...[`HELM=${helm}`, `SIGNING_KEY=${SIGNER}`, `SIGNING_KEYRING=${keys.secret}`],
      ...[publish, place(), '--plain-http'],
    ]);
    expect(pushed).toMatchObject({ code: 0 });
    // What the workflow reads to attest it.
    expect(pushed.output).toMatch(/^Digest: sha256:[0-9a-f]{64}$/m);
  });

  test('it lies there with its provenance file', () => {
    const { layers } = registry.manifest(reference) as { layers: { mediaType: string }[] };
    expect(layers.map(({ mediaType }) => mediaType).sort()).toEqual([
      'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
      'application/vnd.cncf.helm.chart.provenance.v1.prov',
    ]);
  });

  test('it is pulled and verified by the key of its signer, and by no other', async () => {
    const own = join(folder, `pulled-${line}`);
    mkdirSync(own);
    const pulled = await ask('pull', source(), ...remote, '--prov', '--destination', own);
    expect(pulled).toMatchObject({ code: 0 });
    const archive = join(own, `n8n-tuned-${version}.tgz`);
    expect(existsSync(`${archive}.prov`)).toBe(true);
    const verified = await ask('verify', archive, '--keyring', keys.public);
    expect(verified).toMatchObject({ code: 0 });
    expect(verified.output).toContain(`Signed by: ${SIGNER}`);
    expect((await ask('verify', archive, '--keyring', keys.other)).code).not.toBe(0);
  });

  test('installing from there renders what the folder renders', async () => {
    const templated = await ask(
      ...['template', 'n8n', source(), ...remote, '--kube-version', KUBERNETES],
      ...['--verify', '--keyring', keys.public],
    );
    expect(templated).toMatchObject({ code: 0 });
    const { text } = await render(helm);
    expect(templated.output).toContain(text);
  });

  test('its README is read from there', async () => {
    const shown = await ask('show', 'readme', source(), ...remote);
    expect(shown.code).toBe(0);
    expect(shown.output).toContain(readFileSync(join(chart, 'README.md'), 'utf8').trim());
  });

  test('one that was changed in the registry is refused', async () => {
    registry.spoil(reference, 'application/vnd.cncf.helm.chart.content.v1.tar+gzip');
    const own = join(folder, `spoiled-${line}`);
    mkdirSync(own);
    const pulled = await ask(
      ...['pull', source(), ...remote, '--verify', '--keyring', keys.public, '--destination', own],
    );
    expect(pulled.code).not.toBe(0);
    expect(pulled.output).toMatch(/sha256 sum does not match/i);
  });
});

test('its icon is a file of this repository, drawn without anything from outside', () => {
  const [, path = ''] = /\/main\/(.+)$/.exec(icon) ?? [];
  const drawn = readFileSync(join(chart, '../..', path), 'utf8');
  expect(drawn).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(drawn).not.toMatch(/href|<script|<image/);
});
