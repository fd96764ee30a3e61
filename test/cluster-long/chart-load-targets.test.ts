// Load targets go as they came: one start of main takes the workflows out of SQLite on its volume, and nothing of them stands
// in the way of n8n's start any more.
import { request } from '../support/cluster';
import { readCredential, Release, storeCredential, WITHOUT_TARGETS } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_200_000);

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-load-targets');
  await n8n.deploy({ loadTargets: { enabled: true } });
});
afterAll(() => n8n?.remove());

test('taken out, they are gone, and what is the user’s stays', async () => {
  const webhook = `${await n8n.serviceUrl()}/webhook/load-last-node`;
  await n8n.expectedResponse(webhook);
  await storeCredential(n8n);

  await n8n.deploy(WITHOUT_TARGETS);
  const reply = await request(webhook);
  expect(reply.status).toBe(404);
  expect(reply.body).toContain('not registered');
  await expect(readCredential(n8n)).resolves.toBe('still readable');

  await n8n.deploy({});
  const initContainers = await n8n.space.kubectl(
    ...['get', 'deployment', 'n8n-main', '-o', 'jsonpath={.spec.template.spec.initContainers}'],
  );
  expect(initContainers).toBe('');
  expect(await n8n.helm(['test', '--logs', '--timeout', '10m'])).toMatch(/Phase:\s+Succeeded/);
  seen('load targets taken out', { webhook: reply.status, credential: 'readable' });
});
