import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import {
  standInPlan,
  twinCredentials,
  type SeedWorkflow,
} from '../../../cli/src/catalogue/seeding';
import { OutsideNeeds } from '../../../cli/src/targets/url/needs';
import { parseRules } from '../../../cli/src/stand-in/rules';

const credential = {
  ...{ id: 'twin-openai', name: 'OpenAI', type: 'openAiApi' },
  data: { apiKey: 'none', url: 'http://127.0.0.1:5690/v1' },
};
const twin = (rules: string): SeedWorkflow => ({
  ...{ name: 'mine', file: 'mine.json', needs: ['upstream'] },
  standIn: { plan: parseRules(rules, 'rules.yaml'), credentials: [credential] },
});
const bundled: SeedWorkflow = { name: 'http-calls', file: 'a.json', needs: ['upstream'] };
const pathsOf = (workflows: readonly SeedWorkflow[]): string[] | undefined =>
  standInPlan(workflows)?.rules.map(({ path }) => path);

test('the rules for everything come last, so that no twin hides what another one or a bundled workflow calls', () => {
  const one = twin('rules: [{ path: /a }, { path: /* }]');
  const other = twin('rules: [{ path: /b }, { path: /* }]');
  expect(pathsOf([one, other])).toEqual(['/a', '/b', '/*', '/*']);
  expect(pathsOf([one, bundled])).toEqual(['/a', '/customer', '/orders', '/stock', '/*']);
  expect(standInPlan([bundled])).toBeNull();
});

test('the credentials of twins lead to the stand-in where it is, each once', () => {
  const all = [twin('rules: []'), twin('rules: []'), bundled];
  expect(twinCredentials(all, 'http://127.0.0.1:7777')).toEqual([
    { ...credential, data: { apiKey: 'none', url: 'http://127.0.0.1:7777/v1' } },
  ]);
});

test.each([
  [
    'without a key of its API',
    { baseUrl: 'http://127.0.0.1:5678', seeds: false },
    'mine is a twin, which is imported through the n8n API: set N8N_API_KEY in the environment.',
  ],
  [
    'on another machine, where no address of this one is given',
    { baseUrl: 'https://n8n.example.com', seeds: true },
    'mine is a twin, and n8n at https://n8n.example.com runs on another machine: specify the address at which n8n reaches this machine, such as --stand-in http://10.0.0.5:5690.',
  ],
])('a twin is refused by an n8n %s, before anything is put in', async (_, reach, sentence) => {
  const needs = new OutsideNeeds(reach);
  await expect(needs.meet([twin('rules: []')], () => undefined)).rejects.toThrow(sentence);
});

test('a stand-in is not started where something listens already', async () => {
  const server = createServer().listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const needs = new OutsideNeeds({
    ...{ baseUrl: 'https://n8n.example.com', seeds: true },
    standIn: `http://10.0.0.5:${String(port)}`,
  });
  await expect(needs.meet([twin('rules: []')], () => undefined)).rejects.toThrow(
    `port ${String(port)} of this machine is already in use: use another port in --stand-in.`,
  );
  await needs.end();
  server.close();
});
