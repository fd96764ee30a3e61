// What chart-regular of the suite cluster shows of the default, for the rest of the ways to run n8n: regular with
// PostgreSQL, the preset medium, and n8n below 1.0 with both kinds of process.
import { readCredential, Release, storeCredential } from '../support/release';
import { seen } from '../support/seen';
import { N8N_LEGACY_VERSION } from '../support/versions';

jest.setTimeout(2_400_000);

const LEGACY = { image: { tag: N8N_LEGACY_VERSION }, loadTargets: { enabled: true } };
const VARIANTS: [string, object][] = [
  ['regular with PostgreSQL', { database: { type: 'postgresql' }, loadTargets: { enabled: true } }],
  [
    // Queue mode with two workers and two webhook processors.
    'preset medium',
    {
      preset: 'medium',
      // Main answers no production webhook.
      webhook: { exclusive: true },
      publicUrl: 'http://n8n.test',
      loadTargets: { enabled: true },
    },
  ],
  ['legacy main', { ...LEGACY, executions: { process: 'main' } }],
  ['legacy own', { ...LEGACY, executions: { process: 'own' } }],
];

test.each(VARIANTS)(
  '%s can be installed, tested, upgraded, rolled back and installed again',
  async (name, values) => {
    const n8n = await Release.inNewNamespace('chart-variant');
    try {
      const service = 'webhook' in values ? '-webhook' : '';
      const webhook = async (): Promise<number> =>
        (await n8n.expectedResponse(`${await n8n.serviceUrl(service)}/webhook/load-last-node`))
          .status;
      const statuses: Record<string, number> = {};
      await n8n.deploy(values);
      statuses['installed'] = await webhook();
      expect(await n8n.helm(['test', '--timeout', '10m'])).toMatch(/Phase:\s+Succeeded/);
      await storeCredential(n8n);
      await n8n.deploy({ ...values, env: { N8N_LOG_LEVEL: 'error' } });
      statuses['upgraded'] = await webhook();
      await n8n.helm(['rollback', '1', '--wait', '--timeout', '10m']);
      statuses['rolledBack'] = await webhook();
      await n8n.uninstall();
      await n8n.deploy(values);
      statuses['reinstalled'] = await webhook();
      const credential = await readCredential(n8n);
      seen(name, {
        ...('image' in values ? { n8n: LEGACY.image.tag } : {}),
        statuses,
        helmTest: 'Succeeded',
        credentialReadable: credential === 'still readable',
      });
      expect(credential).toBe('still readable');
    } finally {
      await n8n.remove();
    }
  },
);
